"""Public depth networks as members of an ensemble, against Python's torch.

The networks here are written from the published description of their layers: ResNet18; a decoder of
five levels, each a reflection-padded 3x3 convolution, ELU, nearest upsampling by two, the encoder's
feature appended, another such convolution; heads of one reflection-padded convolution. They are
saved as .pth files in the layout of an ensemble, converted by supn_import, run by supn_ensemble, and
compared with what Python computes.

usage: published_networks_test.py FOLDER_OF_PROGRAMS; exit 77 = skipped.
"""
import json
import os
import subprocess
import sys
import tempfile
from collections import OrderedDict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from apps.png import write_png
from torch_python import import_torch

torch = import_torch()
import torch.nn.functional as F

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}; scripts/setup.sh --tests installs it")
    sys.exit(77)

BIN = os.path.abspath(sys.argv[1])
DRIVE = "2011_09_26/2011_09_26_drive_0001_sync"
HEIGHT, WIDTH = 64, 96
CHANNELS = [16, 32, 64, 128, 256]  # of the decoder's levels
SKIPS = [64, 64, 128, 256, 512]  # of the encoder's features


def run(app, *arguments):
    done = subprocess.run([os.path.join(BIN, app), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (app, done.stderr)
    return done.stdout


def conv(state, name, out, inside, kernel, bias=True):
    state[name + ".weight"] = torch.randn(out, inside, kernel, kernel) / (inside * kernel * kernel) ** 0.5
    if bias:
        state[name + ".bias"] = 0.1 * torch.randn(out)


def norm(state, name, channels):
    for part, value in (("weight", torch.rand(channels) + 0.5), ("bias", 0.1 * torch.randn(channels)),
                        ("running_mean", 0.1 * torch.randn(channels)), ("running_var", torch.rand(channels) + 0.5)):
        state[f"{name}.{part}"] = value


def make_encoder():
    state = OrderedDict()
    conv(state, "encoder.conv1", 64, 3, 7, bias=False)
    norm(state, "encoder.bn1", 64)
    inside = 64
    for layer, out in enumerate(SKIPS[1:], 1):
        for block in range(2):
            name = f"encoder.layer{layer}.{block}"
            conv(state, name + ".conv1", out, inside, 3, bias=False)
            norm(state, name + ".bn1", out)
            conv(state, name + ".conv2", out, out, 3, bias=False)
            norm(state, name + ".bn2", out)
            if inside != out:
                conv(state, name + ".downsample.0", out, inside, 1, bias=False)
                norm(state, name + ".downsample.1", out)
            inside = out
    state["encoder.fc.weight"], state["encoder.fc.bias"] = torch.rand(1000, 512), torch.rand(1000)
    state["height"], state["width"], state["use_stereo"] = HEIGHT, WIDTH, False
    return state


def make_decoder(log_scale):
    state = OrderedDict()
    index = 0
    for i in range(4, -1, -1):
        conv(state, f"decoder.{index}.conv.conv", CHANNELS[i], SKIPS[4] if i == 4 else CHANNELS[i + 1], 3)
        conv(state, f"decoder.{index + 1}.conv.conv", CHANNELS[i], CHANNELS[i] + (SKIPS[i - 1] if i else 0), 3)
        index += 2
    for scale in range(4):
        for _ in range(2 if log_scale else 1):
            conv(state, f"decoder.{index}.conv", 1, CHANNELS[scale], 3)
            index += 1
    return state


def predict(encoder, decoder, image):
    """Logits at four scales and the log-scale, or None."""
    def normed(x, name):
        return F.batch_norm(x, *(encoder[f"{name}.{p}"] for p in ("running_mean", "running_var", "weight", "bias")))

    def padded(x, name):
        return F.conv2d(F.pad(x, (1, 1, 1, 1), "reflect"), decoder[name + ".weight"], decoder[name + ".bias"])

    x = F.conv2d((image - 0.45) / 0.225, encoder["encoder.conv1.weight"], stride=2, padding=3)
    features = [F.relu(normed(x, "encoder.bn1"))]
    x = F.max_pool2d(features[0], 3, 2, 1)
    for layer in range(1, 5):
        for block in range(2):
            name = f"encoder.layer{layer}.{block}"
            stride = 2 if layer > 1 and block == 0 else 1
            y = F.relu(normed(F.conv2d(x, encoder[name + ".conv1.weight"], stride=stride, padding=1), name + ".bn1"))
            y = normed(F.conv2d(y, encoder[name + ".conv2.weight"], padding=1), name + ".bn2")
            if name + ".downsample.0.weight" in encoder:
                x = normed(F.conv2d(x, encoder[name + ".downsample.0.weight"], stride=stride), name + ".downsample.1")
            x = F.relu(x + y)
        features.append(x)
    levels, index = {}, 0
    for i in range(4, -1, -1):
        x = F.interpolate(F.elu(padded(x, f"decoder.{index}.conv.conv")), scale_factor=2, mode="nearest")
        x = torch.cat([x, features[i - 1]], 1) if i else x
        levels[i] = x = F.elu(padded(x, f"decoder.{index + 1}.conv.conv"))
        index += 2
    step = 2 if "decoder.17.conv.weight" in decoder else 1
    logits = [padded(levels[s], f"decoder.{10 + step * s}.conv") for s in range(4)]
    return logits, padded(levels[0], "decoder.11.conv") if step == 2 else None


def save(folder, encoder, decoder, zipped):
    os.makedirs(folder)
    for name, state in (("encoder", encoder), ("depth", decoder)):
        torch.save(state, os.path.join(folder, name + ".pth"), _use_new_zipfile_serialization=zipped)


def write_images():
    """A split of two images in KITTI's layout; returns them as [2,3,H,W] in [0,1]."""
    os.makedirs(f"kitti/{DRIVE}/image_02/data")
    images = torch.randint(0, 256, (2, HEIGHT, WIDTH, 3), dtype=torch.uint8)
    for i in range(2):
        write_png(f"kitti/{DRIVE}/image_02/data/{i:010d}.png", images[i].numpy())
    with open("kitti/train.txt", "w") as file:
        file.write(f"{DRIVE} 0 l\n{DRIVE} 1 l\n")
    return images.permute(0, 3, 1, 2).float() / 255


def samples(name, members, images, extra=""):
    """What supn_ensemble writes for these members: image -> {file: array}."""
    with open(name + ".yaml", "w") as file:
        file.write(f"data:\n  root: kitti\n  samples: {name}\n  train_split: kitti/train.txt\n"
                   f"  height: {HEIGHT}\n  width: {WIDTH}\nensemble:\n  members: [{', '.join(members)}]\n{extra}")
    run("supn_ensemble", "--config", name + ".yaml", "--device", "cpu")
    folders = [f"{name}/{DRIVE}/image_02/{i:010d}" for i in range(len(images))]
    return [{f: np.load(os.path.join(folder, f)) for f in os.listdir(folder)} for folder in folders]


def close(found, expected, what):
    """The largest difference, relative to the largest value where that is above 1."""
    assert found.shape == tuple(expected.shape), (what, found.shape)
    difference = float(np.abs(found - expected.numpy()).max() / max(1.0, float(expected.abs().max())))
    assert difference <= 1e-5, (what, difference)
    return difference


def members_of(text):
    return text.split("[")[1].split("]")[0].split(", ")


def check_boots(images, log_scale):
    """boot_1 (zip) and boot_2 (legacy) under weights_18 and weights_19, of which the newer counts."""
    root = "logs" if log_scale else "plain"
    networks = []
    for boot in (1, 2):
        networks.append((make_encoder(), make_decoder(log_scale)))
        save(f"{root}/boot_{boot}/weights_18", make_encoder(), make_decoder(log_scale), True)
        save(f"{root}/boot_{boot}/weights_19", *networks[-1], zipped=boot == 1)
    members = members_of(run("supn_import", root, "--out", root + "_members"))
    assert members == [f"{root}_members/boot_1.safetensors", f"{root}_members/boot_2.safetensors"], members
    extra = "  log_scale_key: log_scale_0\n" if log_scale else ""
    found = samples(root + "_samples", members, images, extra)
    worst = 0.0
    for i, files in enumerate(found):
        assert sorted(files) == sorted([f"logit_{s}.npy" for s in range(4)] + ["log_scale_0.npy"] * log_scale), files.keys()
        for m, (encoder, decoder) in enumerate(networks):
            logits, scale = predict(encoder, decoder, images[i:i + 1])
            for s in range(4):
                worst = max(worst, close(files[f"logit_{s}.npy"][m], logits[s][0, 0], (root, i, m, s)))
            if log_scale:
                worst = max(worst, close(files["log_scale_0.npy"][m], scale[0, 0], (root, i, m, "log-scale")))
    print(f"{root}: members equal Python's torch, largest difference {worst:.2g}")


def check_inspection():
    shown = json.loads(run("supn_import", "--json", "plain/boot_1/weights_19/encoder.pth"))[0]
    encoder = torch.load("plain/boot_1/weights_19/encoder.pth")
    shapes = {t["name"]: (t["dtype"], t["shape"]) for t in shown["tensors"]}
    assert shapes == {k: ("float", list(v.shape)) for k, v in encoder.items() if torch.is_tensor(v)}, shapes
    assert shown["values"] == {"height": HEIGHT, "width": WIDTH, "use_stereo": False}, shown["values"]


def check_snapshots_and_dropout(images):
    for number in range(10):
        save(f"run/models/weights_{number}", make_encoder(), make_decoder(False), True)
    members = members_of(run("supn_import", "run", "--out", "snapshots"))
    assert members == [f"snapshots/weights_{n}.safetensors" for n in range(2, 10)], members
    members = members_of(run("supn_import", "run/models/weights_9", "--out", "passes", "--dropout", "0.2", "--passes", "3"))
    assert members == [f"passes/weights_9_pass_{n}.safetensors" for n in range(3)], members
    maps = samples("dropped", members, images)[0]["logit_0.npy"]
    assert np.isfinite(maps).all() and (maps.std(0) > 0).mean() > 0.99


torch.manual_seed(1)
torch.set_grad_enabled(False)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    batch = write_images()
    check_boots(batch, log_scale=False)
    check_boots(batch, log_scale=True)
    check_inspection()
    check_snapshots_and_dropout(batch)
    os.chdir("/")
