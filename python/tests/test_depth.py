from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

import supn
from conftest import HEIGHT, WIDTH, dense, random_gaussian


@pytest.fixture
def logits() -> supn.StructuredGaussian:
    return random_gaussian(supn.CoarseToFine(12, 12, 2), batch=1)


def test_depth_is_scale_over_disparity(logits):
    transform = supn.LogitToDepth(5.4)
    x = torch.linspace(-6, 6, 25, dtype=torch.float64)
    assert_close(transform(x), 5.4 / (0.01 + 9.99 * torch.sigmoid(x)))
    assert_close(transform.inv(transform(x)), x)
    slope = torch.autograd.functional.jacobian(lambda t: transform(t).sum(), x)
    assert_close(transform.log_abs_det_jacobian(x, transform(x)), slope.abs().log())


def test_density_of_depth_is_that_of_the_logits_by_change_of_variables(logits):
    depth = logits.to_depth(5.4)
    x = depth.sample(3, seed=1)
    assert torch.equal(x, depth.transform(logits.sample(3, seed=1)))
    by_torch = torch.distributions.TransformedDistribution(dense(logits, 0), [supn.LogitToDepth(5.4)])
    assert_close(depth.log_prob(x)[:, 0], by_torch.log_prob(x.flatten(-2)[:, 0]))


def test_quantiles_are_those_of_samples(logits):
    depth = logits.to_depth(5.4)
    draws = depth.sample(40000, seed=1)
    for probability in (0.05, 0.5, 0.95):
        below = (draws < depth.quantile(probability)).double().mean(0)
        assert (below - probability).abs().max() < 5 * (probability * (1 - probability) / 40000) ** 0.5
    assert_close(depth.median, depth.quantile(0.5))


def test_moments_are_integrals_over_the_logit(logits):
    depth = logits.to_depth(5.4)
    nodes = torch.linspace(-10, 10, 4001, dtype=torch.float64)
    weights = torch.softmax(-0.5 * nodes.square(), 0).reshape(-1, 1, 1, 1)
    values = depth.transform(logits.mean + nodes.reshape(-1, 1, 1, 1) * logits.stddev)
    mean = (weights * values).sum(0)
    assert_close(depth.mean, mean, rtol=1e-6, atol=0)
    assert_close(depth.variance, (weights * (values - mean).square()).sum(0), rtol=1e-6, atol=0)


def test_divergence_does_not_depend_on_the_quantity(logits):
    other = random_gaussian(supn.Raster(1), batch=1, seed=5)
    found = torch.distributions.kl_divergence(logits.to_depth(5.4), other.to_depth(5.4))
    assert_close(found, torch.distributions.kl_divergence(logits, other))


def test_only_logits_become_depth(logits):
    metres = supn.StructuredGaussian(*logits._maps[:3], logits.order, quantity="metres")
    with pytest.raises(ValueError, match="over \"metres\""):
        metres.to_depth()
    with pytest.raises(ValueError, match="min_depth"):
        logits.to_depth(min_depth=2.0, max_depth=1.0)


def test_depth_pictures_keep_a_256th_of_a_metre(tmp_path):
    depth = np.random.default_rng(0).uniform(0.01, 255.9, (HEIGHT, WIDTH))
    depth[0, 0], depth[1, 1] = 0, np.nan
    supn.write_depth_png(tmp_path / "d.png", depth)
    again = supn.read_depth_png(tmp_path / "d.png")
    assert again.dtype == np.float32 and again[0, 0] == 0 and again[1, 1] == 0
    there = again > 0
    assert there.sum() == depth.size - 2
    assert np.abs(again - depth)[there].max() <= 0.5 / 256
    with pytest.raises(ValueError, match="255.99"):
        supn.write_depth_png(tmp_path / "far.png", depth * 10)
    assert not (tmp_path / "far.png").exists()
