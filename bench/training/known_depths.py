"""Measured depths of KITTI's frames as `supn_eval --known-points` takes them: given on the maps' pixels, and held back
to judge by (held_back.hpp, depth_observations.hpp, accuracy.hpp; protocol eigen, depth = 5.4 / disparity)."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from low_rank_gaussian import FARTHEST_DISPARITY, NEAREST_DISPARITY, disparity
from PIL import Image

SCALE = 5.4
NOISE = 0.02  # of the depth
FOLDERS = ("proj_depth/groundtruth", "stereo_depth", "lidar_depth")


def depth_of(root, drive, camera, index):
    """[H,W] in metres, 0 = none."""
    paths = (os.path.join(root, drive, folder, camera, index + ".png") for folder in FOLDERS)
    with Image.open(next(path for path in paths if os.path.exists(path))) as image:
        return np.asarray(image, dtype=np.float64) / 256


def grid_pixels(depth, height, width):
    """The pixel of a map of height × width, as a raster index, that each pixel of the depth [H,W] falls on."""
    rows = (2 * np.arange(depth.shape[0]) + 1) * height // (2 * depth.shape[0])
    columns = (2 * np.arange(depth.shape[1]) + 1) * width // (2 * depth.shape[1])
    return rows[:, None] * width + columns


def random_points(depth, grid, count, generator):
    """Pixels and depths [count] of measurements in random order; the nearest of those on one pixel."""
    nearest = np.full(grid.max() + 1, np.inf)
    np.minimum.at(nearest, grid[depth > 0], depth[depth > 0])
    pixels = generator.permutation(np.flatnonzero(np.isfinite(nearest)))[:count]
    return torch.from_numpy(pixels), torch.from_numpy(nearest[pixels])


def logits_of(depth):
    """Logits of depths and the variance of their noise there; not finite for a depth that no logit has."""
    sigmoid = (SCALE / depth - FARTHEST_DISPARITY) / (NEAREST_DISPARITY - FARTHEST_DISPARITY)
    slope = SCALE / depth.square() / (sigmoid * (1 - sigmoid)) / (NEAREST_DISPARITY - FARTHEST_DISPARITY)
    return torch.logit(sigmoid), (NOISE * depth * slope).square()


def abs_rel(mean, depth):
    """Of the mean logits [h,w] on measured depth [H,W]."""
    height, width = depth.shape
    at_truth = F.interpolate(disparity(mean)[None, None], depth.shape, mode="bilinear", align_corners=False)[0, 0]
    counts = torch.zeros(depth.shape, dtype=torch.bool)
    rows, columns = (0.40810811 * height, 0.99189189 * height), (0.03594771 * width, 0.96405229 * width)
    counts[int(rows[0]) : int(rows[1]), int(columns[0]) : int(columns[1])] = True
    counts &= (depth > 1e-3) & (depth < 80)
    predicted = (SCALE / at_truth[counts]).clamp(1e-3, 80)
    return ((predicted - depth[counts]).abs() / depth[counts]).mean().item()


def conditioned_errors(posterior_mean, depth, size, counts, generator):
    """AbsRel given so many points each, on what none of them falls on.

    posterior_mean: of pixels, logits and the variance of their noise, to the mean [h,w] of `size`.
    """
    grid = grid_pixels(depth, *size)
    pixels, measured = random_points(depth, grid, max(counts), generator)
    held_back = torch.from_numpy(np.where(np.isin(grid, pixels.numpy()), 0.0, depth))
    errors = []
    for count in counts:
        values, noise_variance = logits_of(measured[:count])
        known = values.isfinite()
        given = posterior_mean(pixels[:count][known], values[known], noise_variance[known])
        errors.append(abs_rel(given, held_back))
    return errors
