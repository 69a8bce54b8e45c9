"""Eight networks in plain PyTorch: mean, standard deviation and maps of each image, as one would write it.

usage: eager_members.py --root DIR --split FILE --out DIR [--compile] [--batch 1] [--threads 2]
                        [--height 192] [--width 640] MEMBER...

A member is a file of weights (.safetensors) or TorchScript whose names are those of a ResNet18 or compact
network. Channels last, inference mode; --compile: torch.compile of one network, which all weights go through.
The first pass over each size of batch is not timed. Prints one JSON object: images, seconds and processor seconds of the others, and
the largest memory. OUT/N.npy holds the maps of image N [S,H,W], OUT/N_mean.npy and OUT/N_std.npy the rest.
"""

import argparse
import json
import os
import resource
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "training"))
from ensemble_images import image_path  # noqa: E402

NUMPY = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def read_weights(file):
    if file.endswith(".safetensors"):
        with open(file, "rb") as stream:
            header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
            data = stream.read()
        header.pop("__metadata__", None)
        state = {
            name: torch.from_numpy(
                np.frombuffer(data[slice(*entry["data_offsets"])], NUMPY[entry["dtype"]]).reshape(entry["shape"]).copy()
            )
            for name, entry in header.items()
        }
    else:
        state = torch.jit.load(file).state_dict()
    return {n: t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for n, t in state.items()}


def conv(state, name, x, stride=1, padding=0):
    return F.conv2d(x, state[name + ".weight"], state.get(name + ".bias"), stride, padding)


def reflect(state, name, x):
    return conv(state, name, F.pad(x, (1, 1, 1, 1), mode="reflect"))


def twice(x):
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


def compact(state, image):
    x = F.relu(conv(state, "conv1", (image - 0.45) / 0.225, 2, 3))
    for stage in range(3):
        x = F.leaky_relu(conv(state, f"convs.{stage}.0", x, 2, 1), 0.1)
        x = F.leaky_relu(conv(state, f"convs.{stage}.2", x, 1, 1), 0.1)
    ladder, head = ("d{}.conv", "h0") if "d0.conv.weight" in state else ("decoder.{}.conv", "decoder.8.conv3")
    for step in range(4):
        x = F.elu(reflect(state, ladder.format(2 * step), x))
        x = F.elu(reflect(state, ladder.format(2 * step + 1), twice(x)))
    return conv(state, head, x, 1, 1)


def resnet18(state, image):
    def norm(name, x):
        keys = (".running_mean", ".running_var", ".weight", ".bias")
        return F.batch_norm(x, *(state[name + key] for key in keys))

    x = F.relu(norm("encoder.bn1", conv(state, "encoder.conv1", (image - 0.45) / 0.225, 2, 3)))
    features = [x]
    x = F.max_pool2d(x, 3, 2, 1)
    for layer in range(1, 5):
        for block in range(2):
            name = f"encoder.layer{layer}.{block}"
            stride = 2 if layer > 1 and block == 0 else 1
            y = F.relu(norm(name + ".bn1", conv(state, name + ".conv1", x, stride, 1)))
            y = norm(name + ".bn2", conv(state, name + ".conv2", y, 1, 1))
            if name + ".downsample.0.weight" in state:
                x = norm(name + ".downsample.1", conv(state, name + ".downsample.0", x, stride))
            x = F.relu(y + x)
        features.append(x)
    for step in range(5):
        x = twice(F.elu(reflect(state, f"decoder.{2 * step}.conv.conv", x)))
        if step < 4:
            x = torch.cat([x, features[3 - step]], 1)
        x = F.elu(reflect(state, f"decoder.{2 * step + 1}.conv.conv", x))
    return reflect(state, "decoder.10.conv", x)


def image_of(path, size):
    rgb = Image.open(path).convert("RGB").resize(size, Image.LANCZOS)
    return torch.from_numpy(np.array(rgb)).permute(2, 0, 1).float() / 255


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--root", "--split", "--out"):
        parser.add_argument(name, required=True)
    for name, value in (("--batch", 1), ("--threads", 2), ("--height", 192), ("--width", 640)):
        parser.add_argument(name, type=int, default=value)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("members", nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    lines = [line for line in open(options.split, encoding="utf-8").read().splitlines() if line.strip()]
    states = [read_weights(file) for file in options.members]
    network = compact if "convs.0.0.weight" in states[0] else resnet18
    network = torch.compile(network) if options.compile else network
    os.makedirs(options.out, exist_ok=True)

    def run(first):
        numbers = range(first, min(first + options.batch, len(lines)))
        images = torch.stack([image_of(image_path(options.root, lines[n]), (options.width, options.height)) for n in numbers])
        images = images.contiguous(memory_format=torch.channels_last)
        maps = torch.cat([network(state, images) for state in states], 1)
        std, mean = torch.std_mean(maps, 1)
        for i, n in enumerate(numbers):
            np.save(os.path.join(options.out, f"{n}.npy"), maps[i].numpy())
            np.save(os.path.join(options.out, f"{n}_mean.npy"), mean[i].numpy())
            np.save(os.path.join(options.out, f"{n}_std.npy"), std[i].numpy())

    with torch.inference_mode():
        # Also the last batch, whose size may be another: --compile compiles for it once more.
        for first in {0, (len(lines) - 1) // options.batch * options.batch}:
            run(first)
        start, used = time.perf_counter(), time.process_time()
        for first in range(0, len(lines), options.batch):
            run(first)
        print(
            json.dumps(
                {
                    "images": len(lines),
                    "seconds": time.perf_counter() - start,
                    "processor_seconds": time.process_time() - used,
                    "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                }
            )
        )


if __name__ == "__main__":
    main()
