#!/usr/bin/env python3
"""Reads a structured Gaussian (include/supn/network/gaussian_file.hpp) with nothing but NumPy.

    python3 python/supn/read_gaussian.py FILE [SEED]      log-density and spread of one sample per image
"""
import json
import sys

import numpy as np

DTYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}


def read(path):
    """mean, log_diagonal [B,1,H,W], off_diagonal [B,K,H,W] as float64, and the metadata."""
    data = open(path, "rb").read()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    meta = header.pop("__metadata__")
    maps = {name: np.frombuffer(data[start + t["data_offsets"][0]:start + t["data_offsets"][1]],
                                DTYPES[t["dtype"]]).reshape(t["shape"]).astype(float)
            for name, t in header.items()}
    return maps["mean"], maps["log_diagonal"], maps["off_diagonal"], meta


def window(r):
    """(dy, dx) of channel k in raster order: the later pixels of the (2r+1) x (2r+1) window."""
    return [(0, x) for x in range(1, r + 1)] + [(y, x) for y in range(1, r + 1) for x in range(-r, r + 1)]


STEPS = {3: [[(1, 1)], [(1, 0)], [(0, 1)]],
         12: [[(1, 1)], [(3, 3)], [(1, 3)], [(3, 1)],
              [(1, 0), (3, 2)], [(1, 2), (3, 0)], [(0, 1), (2, 3)], [(0, 3), (2, 1)]]}


def level_classes(steps, count):
    """(row, column, offsets) of a level's classes in units of its stride: the nearest placed pixels."""
    period = 2 if len(steps) == 3 else 4
    placed = {(y, x) for y in range(0, period, 2) for x in range(0, period, 2)}
    reach = [(dy, dx) for dy in range(-6, 7) for dx in range(-6, 7)]
    for step in steps:
        for row, column in step:
            near = sorted((o for o in reach if ((row + o[0]) % period, (column + o[1]) % period) in placed),
                          key=lambda o: (o[0] ** 2 + o[1] ** 2, abs(o[0]), o))
            yield row, column, near[:count]
        placed.update(step)


def classes(height, width, metadata):
    """(row, column, stride, offsets) of the classes of pixels, in the order in which a sample fills them."""
    if "radius" in metadata:
        return [(0, 0, 1, window(int(metadata["radius"])))]
    levels, steps = int(metadata["levels"]), STEPS[int(metadata["classes"])]
    while levels > 0 and 2 ** (levels - 1) >= min(height, width):
        levels -= 1
    coarsest = 2 ** levels
    result = [(coarsest // 2, coarsest // 2, coarsest, [(coarsest * y, coarsest * x) for y, x in window(2)])]
    period = 2 if len(steps) == 3 else 4
    for level in range(levels - 1, -1, -1):
        s, origin = 2 ** level, coarsest // 2 if level == levels - 1 else 0
        for row, column, near in level_classes(steps, int(metadata["neighbours"])):
            y, x = (origin + row * s) % (period * s), (origin + column * s) % (period * s)
            if y < height and x < width:
                result.append((y, x, period * s, [(s * dy, s * dx) for dy, dx in near]))
    return result


def pixels(shape, metadata):
    """(y, x, {k: neighbour}) of every pixel; each depends on earlier ones alone."""
    for row, column, stride, offsets in classes(*shape, metadata):
        for y in reversed(range(row, shape[0], stride)):
            for x in reversed(range(column, shape[1], stride)):
                yield y, x, {k: (y + dy, x + dx) for k, (dy, dx) in enumerate(offsets)
                             if 0 <= y + dy < shape[0] and 0 <= x + dx < shape[1]}


def log_prob(d, mean, phi, psi, metadata):
    """log N(d; mean, (L L^T)^-1) of one image [H,W]; psi [K,H,W]."""
    residual = d - mean
    z = np.exp(phi) * residual
    for y, x, neighbours in pixels(mean.shape, metadata):
        z[y, x] += sum(psi[k, y, x] * residual[n] for k, n in neighbours.items())
    return -0.5 * (z ** 2).sum() + phi.sum() - 0.5 * d.size * np.log(2 * np.pi)


def sample(noise, mean, phi, psi, metadata):
    """mean + L^-T noise by substitution, from the first pixel of the order on."""
    s = np.zeros_like(mean)
    for y, x, neighbours in pixels(mean.shape, metadata):
        known = sum(psi[k, y, x] * s[n] for k, n in neighbours.items())
        s[y, x] = (noise[y, x] - known) * np.exp(-phi[y, x])
    return mean + s


if __name__ == "__main__":
    means, phis, psis, metadata = read(sys.argv[1])
    print(metadata)
    for mean, phi, psi in zip(means[:, 0], phis[:, 0], psis):
        noise = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0).standard_normal(mean.shape)
        drawn = sample(noise, mean, phi, psi, metadata)
        print(f"log p(sample) {log_prob(drawn, mean, phi, psi, metadata):.3f} nats, "
              f"rms distance from the mean {np.sqrt(((drawn - mean) ** 2).mean()):.4f}")
