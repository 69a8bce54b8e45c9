"""The low-rank peer's mathematics against dense matrices, and a network that learns; exit 77 = skipped, no torch."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests"))
from torch_python import import_torch

torch = import_torch()
try:
    import numpy as np
    import PIL
    import safetensors
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from known_depths import abs_rel, conditioned_errors, grid_pixels, logits_of
from low_rank_gaussian import (
    LowRankGaussian,
    coefficient_moments,
    condition,
    density,
    disparity,
    disparity_std,
    draw,
    variance,
)
from low_rank_network import START_NOISE, START_STD, LowRankNetwork, fit_width, losses, train_step
from sample_scores import spread_ratio, texture
from torch.distributions import LowRankMultivariateNormal, MultivariateNormal

HEIGHT, WIDTH, RANK = 3, 4, 2


def random_gaussian(batch=2):
    shape = (batch, 1, HEIGHT, WIDTH)
    factor = torch.randn(batch, RANK, HEIGHT, WIDTH, dtype=torch.float64)
    return LowRankGaussian(
        torch.randn(shape, dtype=torch.float64), torch.randn(shape, dtype=torch.float64) - 1, factor
    )


def dense(gaussian, b):
    p = gaussian.factor[b].flatten(1)
    return gaussian.mean[b].flatten(), p.T @ p + torch.diag(gaussian.log_diagonal[b].exp().flatten())


def check_density():
    gaussian, maps = random_gaussian(), torch.randn(2, 5, HEIGHT, WIDTH, dtype=torch.float64)
    log_prob, squares = density(gaussian, maps)
    for b in range(2):
        mean, covariance = dense(gaussian, b)
        x = maps[b].flatten(1)
        expected = MultivariateNormal(mean, covariance).log_prob(x)
        torch.testing.assert_close(log_prob[b], expected)
        low_rank = LowRankMultivariateNormal(
            mean, gaussian.factor[b].flatten(1).T, gaussian.log_diagonal[b].exp().flatten()
        )
        torch.testing.assert_close(log_prob[b], low_rank.log_prob(x))
        e = x - mean
        torch.testing.assert_close(squares[b], (e @ torch.linalg.inv(covariance) * e).sum(1))
        torch.testing.assert_close(variance(gaussian)[b].flatten(), covariance.diagonal())


def check_gradient():
    parts = [part.requires_grad_() for part in random_gaussian(1)]
    maps = torch.randn(1, 3, HEIGHT, WIDTH, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda *parts: density(LowRankGaussian(*parts), maps)[0], parts)


def check_draws():
    gaussian = LowRankGaussian(*(part.float() for part in random_gaussian(1)))
    samples = draw(gaussian, 100000, torch.Generator().manual_seed(1)).flatten(1)
    mean, covariance = dense(gaussian, 0)
    scale = covariance.diagonal().sqrt()
    assert ((samples.mean(0) - mean) / scale).abs().max() < 0.02
    assert ((samples.T.cov() - covariance) / torch.outer(scale, scale)).abs().max() < 0.02


def check_width():
    gaussian = random_gaussian(1)._replace(log_diagonal=torch.full((1, 1, HEIGHT, WIDTH), -8.0, dtype=torch.float64))
    width = torch.tensor([[3.0, 0.0], [0.5, 0.2]], dtype=torch.float64)
    wide = gaussian._replace(factor=torch.einsum("rk,brhw->bkhw", width, gaussian.factor))
    maps = draw(LowRankGaussian(*(part.float() for part in wide)), 100000, torch.Generator().manual_seed(3))[None]
    moments = coefficient_moments(gaussian, maps)
    torch.testing.assert_close(moments, width @ width.T, rtol=0.02, atol=0.002)
    torch.testing.assert_close(coefficient_moments(wide, maps), torch.eye(2, dtype=torch.float64), rtol=0.02, atol=0.02)
    network = LowRankNetwork(RANK, 32, 64)
    image = torch.rand(1, 3, 32, 64)
    with torch.no_grad():
        before = network(image)
        members = draw(before._replace(factor=3 * before.factor), 5000, torch.Generator().manual_seed(4))[None]
        for _ in range(2):  # once fitted it stays
            fit_width(network, FewImages(image, members))
        ratio = network(image).factor.square().sum(1).mean() / before.factor.square().sum(1).mean()
    assert abs(ratio - 9) < 0.5, ratio


class FewImages:
    def __init__(self, image, members):
        self.batch = lambda indices: (image, members)

    def __len__(self):
        return 1


def check_condition():
    gaussian, pixels = random_gaussian(1), torch.tensor([5, 0, 7])
    values, noise = torch.randn(3, dtype=torch.float64), torch.tensor([0.1, 0.5, 0.0], dtype=torch.float64)
    mean, covariance = dense(gaussian, 0)
    measured = covariance[pixels][:, pixels] + torch.diag(noise)
    expected = mean + covariance[:, pixels] @ torch.linalg.inv(measured) @ (values - mean[pixels])
    found = condition(gaussian, pixels, values, noise).flatten()
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(found[7], values[2])  # measured without noise
    torch.testing.assert_close(condition(gaussian, pixels[:0], values[:0], noise[:0]).flatten(), mean)


def check_disparity_std():
    gaussian = random_gaussian(1)
    logits = gaussian.mean + variance(gaussian).sqrt() * torch.randn(400000, 1, 1, 1, dtype=torch.float64)
    ratio = disparity_std(gaussian) / disparity(logits)[:, 0].std(0)
    assert (ratio - 1).abs().max() < 0.01, ratio


def check_texture():
    generator = torch.Generator().manual_seed(2)
    noise = torch.randn(20, 64, 128, generator=generator)
    roughness, rows, columns = texture(noise)
    assert abs(roughness - 2**0.5) < 0.01
    assert abs(rows - (1 - np.exp(-1))) < 0.02 and abs(columns - rows) < 0.02  # linear from 1 to 0
    fading, innovation = np.exp(-1 / 8), (1 - np.exp(-2 / 8)) ** 0.5
    for x in range(1, 128):
        noise[..., x] = fading * noise[..., x - 1] + innovation * noise[..., x]
    roughness, rows, columns = texture(noise)
    assert abs(rows - 8) < 0.8 and columns < 0.7, (rows, columns)
    assert abs(roughness - ((2 - 2 * fading) * 0.5 + 2 * 0.5) ** 0.5) < 0.02, roughness
    sloping = texture(noise + 5 * torch.arange(128.0))  # what all maps share is no deviation
    torch.testing.assert_close(sloping, (roughness, rows, columns), rtol=1e-4, atol=0)
    assert texture(torch.linspace(-1, 1, 2)[:, None, None].expand(2, 8, 10)) == (0.0, 5.0, 4.0)


def check_spread():
    std = torch.arange(101, dtype=torch.float64).view(1, 101)
    assert spread_ratio(std * 2, torch.full_like(std, 2)) == [5, 50, 95]


def check_known_depths():
    depth = torch.tensor([2.0, 10.0, 60.0], dtype=torch.float64)
    values, noise_variance = logits_of(depth)
    torch.testing.assert_close(5.4 / disparity(values), depth)
    step = (logits_of(depth * 1.0001)[0] - logits_of(depth * 0.9999)[0]) / 0.0002  # ∂logit / ∂ log depth
    torch.testing.assert_close(noise_variance, (0.02 * step).square(), rtol=1e-6, atol=0)
    truth = np.zeros((40, 100))
    truth[18:36:2, 10:90:2] = np.random.default_rng(0).uniform(5, 70, (9, 40))  # one on each pixel of a map of 20 × 50
    ten = torch.full((20, 50), values[1].item(), dtype=torch.float64)
    relative = np.where(truth > 0, np.abs(truth - 10) / np.maximum(truth, 1), np.nan)
    assert abs(abs_rel(ten, torch.from_numpy(truth)) - np.nanmean(relative)) < 1e-9
    given = []

    def posterior_mean(pixels, values, noise_variance):
        given.append(set(pixels.tolist()))
        return ten

    errors = conditioned_errors(posterior_mean, truth, (20, 50), (0, 5, 9), np.random.default_rng(0))
    assert [len(pixels) for pixels in given] == [0, 5, 9] and given[1] < given[2]
    held_back = np.array([[y // 2 * 50 + x // 2 not in given[2] for x in range(100)] for y in range(40)])
    assert np.allclose(errors, np.nanmean(relative[held_back])), errors
    expected = [[int((y + 0.5) * 15 / 40) * 37 + int((x + 0.5) * 37 / 100) for x in range(100)] for y in range(40)]
    assert (grid_pixels(truth, 15, 37) == expected).all()


def check_network():
    torch.manual_seed(0)
    network = LowRankNetwork(10, 32, 64)
    image = torch.rand(2, 3, 32, 64)
    with torch.no_grad():
        gaussian = network(image)
    assert abs(variance(gaussian).mean() / (START_STD**2 + START_NOISE**2) - 1) < 1e-5
    waves = gaussian.factor[0].flatten(1)
    assert (waves @ waves.T - torch.diag((waves * waves).sum(1))).abs().max() < 1e-4  # the start's maps are orthogonal
    members = gaussian.mean + 0.1 * torch.randn(2, 7, 32, 64)
    adam = torch.optim.Adam(network.parameters(), 1e-3)
    likelihoods = [train_step(network, adam, image, members)[0] for _ in range(30)]
    assert likelihoods[-1] > likelihoods[0] + 1, likelihoods


def check_losses():
    """The mean learns from L1 alone, the second decoder from the likelihood alone."""
    torch.manual_seed(0)
    network, image = LowRankNetwork(10, 32, 64), torch.rand(1, 3, 32, 64)
    with torch.no_grad():
        members = network(image).mean + torch.tensor([0.1, 0.2]).view(1, 2, 1, 1)
    bias = network.mean.decoder[8]["conv3"].bias
    distance, likelihood = losses(network, image, members)
    (distance - likelihood).backward()
    assert abs(distance.item() - 0.15) < 1e-6 and abs(bias.grad.item() + 1) < 1e-5, (distance, bias.grad)
    network.zero_grad()
    losses(network, image, members)[1].backward()
    assert bias.grad is None and network.mean.conv1.weight.grad is None
    assert network.heads[0].bias.grad.abs().min() > 0


torch.manual_seed(0)
torch.set_num_threads(1)
for name, check in list(globals().items()):
    if name.startswith("check_"):
        check()
        print(f"{name}: right")
