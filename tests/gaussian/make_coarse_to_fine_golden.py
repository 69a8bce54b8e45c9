#!/usr/bin/env python3
"""Writes coarse_to_fine_golden.txt beside this file: what a Gaussian in the order from coarse to fine is, by dense
float64 algebra, straight from docs/method.md ("The order of the factor") and from none of the library's code.

Needs numpy. A line is `name v v v`; maps are flattened in raster order. The inputs are formulas, as in
coarse_to_fine_golden_test.cpp.
"""
import pathlib

import numpy as np

HEIGHT, WIDTH, LEVELS, NEIGHBOURS = 9, 13, 2, 12
PIXELS = HEIGHT * WIDTH
# Steps of the classes by their place (row, column) relative to the coarser grid, as the drawings number them.
STEPS = {
    12: {(1, 1): 1, (3, 3): 2, (1, 3): 3, (3, 1): 4, (1, 0): 5, (3, 2): 5, (1, 2): 6, (3, 0): 6,
         (0, 1): 7, (2, 3): 7, (0, 3): 8, (2, 1): 8},
    3: {(1, 1): 1, (1, 0): 2, (0, 1): 3},
}


def nearest_before(row, column, classes):
    """Offsets of the nearest places whose step is earlier; the coarser grid's is 0."""
    period = 4 if classes == 12 else 2
    own = STEPS[classes][row, column]
    found = []
    for dy in range(-8, 9):
        for dx in range(-8, 9):
            place = ((row + dy) % period, (column + dx) % period)
            if STEPS[classes].get(place, 0) < own:
                found.append((dy * dy + dx * dx, abs(dy), dy, dx))
    return [(dy, dx) for _, _, dy, dx in sorted(found)[:NEIGHBOURS]]


def neighbours_of(y, x, classes):
    """Offsets in pixels, by channel."""
    coarsest = 2**LEVELS
    half = coarsest // 2
    if y % coarsest == half and x % coarsest == half:
        window = [(0, 1), (0, 2)] + [(dy, dx) for dy in (1, 2) for dx in range(-2, 3)]
        return [(dy * coarsest, dx * coarsest) for dy, dx in window]
    period = 4 if classes == 12 else 2
    for level in reversed(range(LEVELS)):
        stride = 2**level
        origin = half if level == LEVELS - 1 else 0
        if (y - origin) % stride or (x - origin) % stride:
            continue
        place = ((y - origin) // stride % period, (x - origin) // stride % period)
        if place in STEPS[classes]:
            return [(dy * stride, dx * stride) for dy, dx in nearest_before(*place, classes)]
    raise AssertionError((y, x))


def formula(a, b, count):
    return np.sin(a * np.arange(count) + b)


def factor_transposed(classes):
    """L^T [N,N]: row n holds e^phi_n and psi_k[n] at the neighbours inside the image."""
    phi = 0.4 * formula(1.7, 0.1, PIXELS)
    rows = np.diag(np.exp(phi))
    for y in range(HEIGHT):
        for x in range(WIDTH):
            n = y * WIDTH + x
            for k, (dy, dx) in enumerate(neighbours_of(y, x, classes)):
                if 0 <= y + dy < HEIGHT and 0 <= x + dx < WIDTH:
                    rows[n, (y + dy) * WIDTH + x + dx] += 0.25 * np.sin(0.9 * n + 1.3 * k)
    return rows


def main():
    lines = []
    for classes in (3, 12):
        upper = factor_transposed(classes)
        x, eps = 2 * formula(0.7, 0.3, PIXELS), formula(1.1, 0.5, PIXELS)
        covariance = np.linalg.inv(upper.T @ upper)
        z = upper @ x
        log_prob = -0.5 * z @ z + np.linalg.slogdet(upper)[1] - 0.5 * PIXELS * np.log(2 * np.pi)
        values = {
            "whitened": z,
            "coloured": np.linalg.solve(upper, eps),
            "log_prob": [log_prob],
            "variance": np.diag(covariance),
            "column": covariance[:, 4 * WIDTH + 6],
        }
        lines += [f"{name}_{classes} " + " ".join(f"{v:.17g}" for v in row) for name, row in values.items()]
    (pathlib.Path(__file__).parent / "coarse_to_fine_golden.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
