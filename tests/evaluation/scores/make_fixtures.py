#!/usr/bin/env python3
"""Writes *.txt beside this file: random cases and what NumPy makes of them, straight from the definitions.

Needs numpy. One value or list a line: `name v v v`; maps are flattened in raster order.
"""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
STEPS = 50


def resize_bilinear(maps, height, width):
    """maps [S,h,w]; half-pixel centres, align_corners=False, edge values outside."""

    def taps(source, target):
        position = np.maximum((np.arange(target) + 0.5) * source / target - 0.5, 0.0)
        low = np.minimum(position.astype(int), source - 1)
        return low, np.minimum(low + 1, source - 1), position - low

    y0, y1, fy = taps(maps.shape[1], height)
    x0, x1, fx = taps(maps.shape[2], width)
    rows = maps[:, y0] * (1 - fy)[None, :, None] + maps[:, y1] * fy[None, :, None]
    return rows[:, :, x0] * (1 - fx) + rows[:, :, x1] * fx


def mask_of(depth, protocol):
    if protocol == "eigen_benchmark":
        return depth > 0
    height, width = depth.shape
    crop = np.zeros(depth.shape, bool)
    crop[
        int(0.40810811 * height) : int(0.99189189 * height),
        int(0.03594771 * width) : int(0.96405229 * width),
    ] = True
    return (depth > 1e-3) & (depth < 80) & crop


def depth_at(disparity, depth, mask, mode):
    p = 1 / resize_bilinear(disparity, *depth.shape)[:, mask]
    if mode == "fixed":
        p = p * 5.4
    else:
        p = p * (np.median(depth[mask]) / np.median(p, axis=1, keepdims=True))
    return np.clip(p, 1e-3, 80)


def accuracy(g, p):
    ratio = np.maximum(g / p, p / g)
    return [
        np.mean(np.abs(g - p) / g),
        np.mean((g - p) ** 2 / g),
        np.sqrt(np.mean((g - p) ** 2)),
        np.sqrt(np.mean((np.log(g) - np.log(p)) ** 2)),
        np.mean(ratio < 1.25),
        np.mean(ratio < 1.25**2),
        np.mean(ratio < 1.25**3),
    ]


def area(error, uncertainty, finish):
    v = -uncertainty
    kept = [v >= np.percentile(v, 100 / STEPS * k) for k in range(STEPS)]
    curve = np.array([finish(error[mask]) for mask in kept] + [0.0])
    return np.sum((curve[1:] + curve[:-1]) / 2 / STEPS)


def sparsification(g, p, u):
    """AUSE, AURG of AbsRel, of RMSE, of A1."""
    ratio = np.maximum(g / p, p / g)
    root_mean = lambda e: np.sqrt(np.mean(e))
    cases = [
        (np.abs(g - p) / g, np.abs(g - p) / g, np.mean),
        ((g - p) ** 2, (g - p) ** 2, root_mean),
        ((ratio >= 1.25).astype(float), ratio, np.mean),
    ]
    scores = []
    for error, oracle, finish in cases:
        method = area(error, u, finish)
        scores += [method - area(error, oracle, finish), finish(error) - method]
    return scores


def write(name, lines):
    text = "".join(f"{key} {' '.join(repr(float(v)) for v in np.ravel(values))}\n" for key, values in lines)
    (HERE / name).write_text(text)


def accuracy_case():
    rng = np.random.default_rng(1)
    height, width, maps = 23, 37, 3
    depth = rng.uniform(1, 90, (height, width)) * (rng.random((height, width)) < 0.6)
    disparity = rng.uniform(0.06, 2.0, (maps, 8, 12))
    lines = [("size", [height, width]), ("map_size", disparity.shape), ("depth", depth)]
    lines += [("disparity", disparity)]
    for protocol in ("eigen", "eigen_benchmark"):
        mask = mask_of(depth, protocol)
        lines.append((f"count_{protocol}", [mask.sum()]))
        for mode in ("fixed", "median"):
            p = depth_at(disparity, depth, mask, mode)
            for s in range(maps):
                lines.append((f"{protocol}_{mode}_{s}", accuracy(depth[mask], p[s])))
    write("accuracy.txt", lines)


def sparsification_cases():
    rng = np.random.default_rng(2)
    lines = []
    for name, count, ties in (("odd", 137, 0), ("even", 150, 0), ("ties", 101, 6), ("few", 7, 0)):
        g = rng.uniform(2, 60, count)
        p = g * np.exp(rng.normal(0, 0.2, count))
        u = rng.random(count)
        if ties:
            u = np.round(u * ties) / ties
        lines += [(f"{name}_depth", g), (f"{name}_predicted", p), (f"{name}_uncertainty", u)]
        lines.append((f"{name}_scores", sparsification(g, p, u)))
    write("sparsification.txt", lines)


def order_cases():
    rng = np.random.default_rng(3)
    lines = []
    for name, count in (("odd", 11), ("even", 12), ("one", 1)):
        values = np.round(rng.normal(0, 1, count), 1)
        quantiles = [0.0, 0.05, 0.3, 0.5, 0.72, 0.95, 1.0]
        lines.append((f"{name}_values", values))
        lines.append((f"{name}_quantiles", np.quantile(values, quantiles)))
        lines.append((f"{name}_median", [np.median(values)]))
    write("order_statistics.txt", lines)


if __name__ == "__main__":
    accuracy_case()
    sparsification_cases()
    order_cases()
