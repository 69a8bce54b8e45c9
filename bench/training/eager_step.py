"""The training step of supn_bench_step in eager PyTorch, as one would write it there: the same
network, the likelihood by shift and multiply, Adam. Reads what supn_bench_step --save wrote, prints
the same JSON object.

usage: eager_step.py DIR [--device cpu|cuda] [--steps 5] [--threads 2] [--precision float32|tf32|bf16]
                     [--compile] [--channels-last] [--fused-adam]

--compile: network and likelihood by torch.compile; the first step then takes a minute.
"""

import argparse
import json
import math
import os
import resource
import time

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F

OFFSETS = [(dy, dx) for dy in range(3) for dx in range(-2, 3) if (dy, dx) > (0, 0)]


class Network:
    """A function of named tensors; BatchNorm in training mode."""

    def __init__(self, tensors):
        self.state = tensors
        self.parameters = [
            t.requires_grad_() for n, t in tensors.items() if t.is_floating_point() and ".running_" not in n
        ]

    def conv(self, name, x, stride=1, padding=0):
        return F.conv2d(x, self.state[name + ".weight"], self.state.get(name + ".bias"), stride, padding)

    def norm(self, name, x):
        s = self.state
        return F.batch_norm(
            x, s[name + ".running_mean"], s[name + ".running_var"], s[name + ".weight"], s[name + ".bias"], True
        )

    def reflect(self, name, x):
        return self.conv(name + ".conv", F.pad(x, (1, 1, 1, 1), mode="reflect"))

    def reflect_elu(self, name, x):
        return F.elu(self.reflect(name + ".conv", x))

    def encoder(self, image):
        x = F.relu(self.norm("encoder.bn1", self.conv("encoder.conv1", (image - 0.45) / 0.225, 2, 3)))
        features = [x]
        x = F.max_pool2d(x, 3, 2, 1)
        for layer in range(1, 5):
            for block in range(2):
                name = f"encoder.layer{layer}.{block}"
                stride = 2 if layer > 1 and block == 0 else 1
                y = F.relu(self.norm(name + ".bn1", self.conv(name + ".conv1", x, stride, 1)))
                y = self.norm(name + ".bn2", self.conv(name + ".conv2", y, 1, 1))
                if name + ".downsample.0.weight" in self.state:
                    x = self.norm(name + ".downsample.1", self.conv(name + ".downsample.0", x, stride))
                x = F.relu(y + x)
            features.append(x)
        return features

    def mean_decoder(self, features):
        x, maps = features[4], [None] * 5
        for step, level in enumerate((4, 3, 2, 1, 0)):
            x = F.interpolate(self.reflect_elu(f"decoder.{2 * step}", x), scale_factor=2.0, mode="nearest")
            if level > 0:
                x = torch.cat([x, features[level - 1]], 1)
            x = maps[level] = self.reflect_elu(f"decoder.{2 * step + 1}", x)
        return [self.reflect(f"decoder.{10 + s}", maps[s]) for s in range(4)], maps

    def block(self, name, x):
        x = self.reflect_elu(name + ".pre", x)
        scaling = F.linear(x.mean((2, 3)), self.state[name + ".ab.weight"], self.state[name + ".ab.bias"])
        raw = self.reflect(name + ".diag", x) + scaling[:, :1, None, None]
        phi = torch.logaddexp(raw, scaling[:, 1:, None, None].expand_as(raw))
        gamma = self.state[name + ".gamma"].exp()[None, :, None, None]
        return phi, torch.tanh(self.reflect(name + ".off", x)) * gamma

    def __call__(self, image):
        features = self.encoder(image)
        means, maps = self.mean_decoder(features)
        x, factors = features[4], [None] * 4
        for level in (4, 3, 2, 1, 0):
            x = self.reflect_elu(f"supn.up0.{level}", torch.cat([x, coordinates(x)], 1))
            x = F.interpolate(x, scale_factor=2.0, mode="nearest")
            x = self.reflect_elu(f"supn.up1.{level}", torch.cat([x, maps[level], coordinates(x)], 1))
            if level < 4:
                factors[level] = self.block(f"supn.block.{level}", x)
        return [(mean, phi, psi) for mean, (phi, psi) in zip(means, factors)]


def coordinates(x):
    batch, _, height, width = x.shape
    columns = torch.linspace(-1, 1, width, device=x.device).view(1, 1, 1, width).expand(batch, 1, height, width)
    rows = torch.linspace(-1, 1, height, device=x.device).view(1, 1, height, 1).expand(batch, 1, height, width)
    return torch.cat([columns, rows], 1)


def negative_log_likelihood(outputs, targets):
    total = 0.0
    for (mean, phi, psi), target in zip(outputs, targets):
        height, width = target.shape[-2:]
        x = target - mean
        padded = F.pad(x, (2, 2, 0, 2))
        z = phi.exp() * x
        for k, (dy, dx) in enumerate(OFFSETS):
            z = z + psi[:, k : k + 1] * padded[..., dy : dy + height, 2 + dx : 2 + dx + width]
        pixels = height * width
        log_prob = -0.5 * z.square().sum((-1, -2)) + phi.sum((-1, -2)) - 0.5 * pixels * math.log(2 * math.pi)
        total = total - log_prob.mean() / pixels
    return total


def step_loss(network, image, targets, precision):
    with torch.autocast(image.device.type, torch.bfloat16, enabled=precision == "bf16"):
        outputs = network(image)
    return negative_log_likelihood([[map_.float() for map_ in scale] for scale in outputs], targets)


def loss_seconds(network, image, targets):
    leaves = [tuple(map_.detach().requires_grad_() for map_ in scale) for scale in network(image)]
    start = time.perf_counter()
    negative_log_likelihood(leaves, targets).backward()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", choices=("float32", "tf32", "bf16"), default="float32")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--fused-adam", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.backends.cudnn.allow_tf32 = options.precision == "tf32"
    read = lambda name: torch.from_numpy(np.load(os.path.join(options.folder, name))).to(options.device)
    image, targets = read("image.npy"), [read(f"logit_{s}.npy") for s in range(4)]
    tensors = safetensors.torch.load_file(os.path.join(options.folder, "model.safetensors"), device=options.device)
    if options.channels_last:
        image = image.contiguous(memory_format=torch.channels_last)
        tensors = {n: t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for n, t in tensors.items()}
    network = Network(tensors)
    adam = torch.optim.Adam(network.parameters, 1e-4, fused=options.fused_adam or None)
    loss_of = torch.compile(step_loss) if options.compile else step_loss
    result = {"losses": [], "seconds": [], "processor_seconds": []}
    for _ in range(options.steps):
        start, processor = time.perf_counter(), time.process_time()
        adam.zero_grad()
        loss = loss_of(network, image, targets, options.precision)
        loss.backward()
        adam.step()
        result["losses"].append(loss.item())
        result["seconds"].append(time.perf_counter() - start)
        result["processor_seconds"].append(time.process_time() - processor)
    result["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result["loss_seconds"] = [loss_seconds(network, image, targets) for _ in range(3)]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
