#!/usr/bin/env python3
"""Reads a structured Gaussian (include/supn/network/gaussian_file.hpp) with nothing but NumPy.

    python3 scripts/read_gaussian.py FILE [SEED]      log-density and spread of one sample per image
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


def offsets(r):
    """(dy, dx) of channel k: the later pixels of the (2r+1) x (2r+1) window."""
    return [(0, x) for x in range(1, r + 1)] + [(y, x) for y in range(1, r + 1) for x in range(-r, r + 1)]


def log_prob(d, mean, phi, psi, r):
    """log N(d; mean, (L L^T)^-1) of one image [H,W]; psi [K,H,W]."""
    height, width = mean.shape
    padded = np.pad(d - mean, ((0, r), (r, r)))
    coefficient = [np.where(np.pad(np.ones_like(d), ((0, r), (r, r)))[y:y + height, r + x:r + x + width] > 0, c, 0)
                   for c, (y, x) in zip(psi, offsets(r))]
    z = np.exp(phi) * (d - mean) + sum(c * padded[y:y + height, r + x:r + x + width]
                                       for c, (y, x) in zip(coefficient, offsets(r)))
    return -0.5 * (z ** 2).sum() + phi.sum() - 0.5 * d.size * np.log(2 * np.pi)


def sample(noise, mean, phi, psi, r):
    """mean + L^-T noise by substitution from the last pixel back."""
    height, width = mean.shape
    s = np.zeros((height + r, width + 2 * r))
    for y in range(height - 1, -1, -1):
        for x in range(width - 1, -1, -1):
            known = sum(c[y, x] * s[y + dy, r + x + dx] for c, (dy, dx) in zip(psi, offsets(r))
                        if y + dy < height and 0 <= x + dx < width)
            s[y, r + x] = (noise[y, x] - known) * np.exp(-phi[y, x])
    return mean + s[:height, r:r + width]


if __name__ == "__main__":
    means, phis, psis, metadata = read(sys.argv[1])
    print(metadata)
    for mean, phi, psi in zip(means[:, 0], phis[:, 0], psis):
        noise = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0).standard_normal(mean.shape)
        drawn = sample(noise, mean, phi, psi, int(metadata["radius"]))
        print(f"log p(sample) {log_prob(drawn, mean, phi, psi, int(metadata['radius'])):.3f} nats, "
              f"rms distance from the mean {np.sqrt(((drawn - mean) ** 2).mean()):.4f}")
