"""A Gaussian over maps of logits whose covariance is a low-rank factor and a diagonal, Σ = PᵀP + D, by Woodbury's
identity and the determinant lemma, in float64."""

import math
from typing import NamedTuple

import torch

NEAREST_DISPARITY, FARTHEST_DISPARITY = 10.0, 0.01  # of depths 0.1 and 100 before scaling


class LowRankGaussian(NamedTuple):
    """N(mean, PᵀP + D) over maps of H × W: mean and log D [B,1,H,W], P [B,R,H,W]."""

    mean: torch.Tensor
    log_diagonal: torch.Tensor
    factor: torch.Tensor


def whitened(gaussian, maps):
    """W = P D^-1/2 [B,R,N], e = (d − mean) D^-1/2 [B,S,N] and the root R of R Rᵀ = 1 + W Wᵀ."""
    root = gaussian.log_diagonal.double().mul(-0.5).exp()
    w = (gaussian.factor.double() * root).flatten(2)
    e = ((maps.double() - gaussian.mean.double()) * root).flatten(2)
    return w, e, torch.linalg.cholesky(torch.eye(w.shape[1], dtype=w.dtype) + w @ w.mT)


def density(gaussian, maps):
    """Nats and squared Mahalanobis distances [B,S] of maps [B,S,H,W], in float64.

    log|Σ| = log|D| + 2 log|R|, and the distance is ‖e‖² − ‖R⁻¹ W e‖².
    """
    w, e, cholesky = whitened(gaussian, maps)
    explained = torch.linalg.solve_triangular(cholesky, w @ e.mT, upper=False)
    squares = e.square().sum(2) - explained.square().sum(1)
    log_determinant = gaussian.log_diagonal.double().sum((1, 2, 3))
    log_determinant = log_determinant + 2 * cholesky.diagonal(dim1=1, dim2=2).log().sum(1)
    constant = e.shape[2] * math.log(2 * math.pi)
    return -0.5 * (squares + log_determinant[:, None] + constant), squares


def coefficient_moments(gaussian, maps):
    """E η ηᵀ [R,R], mean over maps [B,S,H,W] = mean + Pᵀη + noise: the unit matrix where P is as wide as the maps."""
    w, e, cholesky = whitened(gaussian, maps)
    inverse = torch.cholesky_inverse(cholesky)
    eta = inverse @ w @ e.mT
    return (eta @ eta.mT / e.shape[1] + inverse).mean(0)


def draw(gaussian, count, generator):
    """[count,H,W] of the first image."""
    mean, log_diagonal, factor = (part[0] for part in gaussian)
    weights = torch.randn(count, len(factor), generator=generator)
    noise = torch.randn(count, *mean.shape[1:], generator=generator)
    return mean + noise * (0.5 * log_diagonal).exp() + torch.einsum("sr,rhw->shw", weights, factor)


def variance(gaussian):
    return gaussian.factor.double().square().sum(1, keepdim=True) + gaussian.log_diagonal.double().exp()


def condition(gaussian, pixels, values, noise_variance):
    """The mean [H,W] of the first image, given values [K] measured at pixels [K] (raster indices) with noise."""
    p = gaussian.factor[0].double().flatten(1)
    diagonal = gaussian.log_diagonal[0].double().exp().flatten()
    mean = gaussian.mean[0, 0].double()
    measured = p[:, pixels].T @ p[:, pixels] + torch.diag(diagonal[pixels] + noise_variance)
    weights = torch.linalg.solve(measured, values - mean.flatten()[pixels])
    change = p.T @ (p[:, pixels] @ weights)
    change = change.index_add(0, pixels, diagonal[pixels] * weights)
    return mean + change.view_as(mean)


def disparity(logits):
    return FARTHEST_DISPARITY + (NEAREST_DISPARITY - FARTHEST_DISPARITY) * torch.sigmoid(logits)


def disparity_std(gaussian):
    """Of the exact marginals [H,W], by the trapezoidal rule on ±8 standard deviations (depth_moments.hpp)."""
    mean, std = gaussian.mean[0, 0].double(), variance(gaussian)[0, 0].sqrt()
    nodes = torch.arange(-16, 17, dtype=torch.float64) / 2
    weights = (-0.5 * nodes.square()).exp()
    deviations = [disparity(mean + node * std) - disparity(mean) for node in nodes]
    first, second = (sum(w * d**power for w, d in zip(weights, deviations)) / weights.sum() for power in (1, 2))
    return (second - first.square()).clamp_min(0).sqrt()
