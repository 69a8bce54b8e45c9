"""Against torch's dense multivariate normal, in float64."""
from __future__ import annotations

import math

import pytest
import torch
from torch.autograd import gradcheck
from torch.distributions import Independent, kl_divergence
from torch.testing import assert_close

import supn
from conftest import HEIGHT, ORDERS, WIDTH, dense, metadata_of, random_gaussian
import supn.read_gaussian as reference

PIXELS = [[0, 0], [3, 4], [6, 8], [3, 4]]
RASTER = torch.tensor([row * WIDTH + column for row, column in PIXELS])


def flat(x: torch.Tensor) -> torch.Tensor:
    return x.flatten(-2)


def test_density_and_entropy_are_the_dense_ones(gaussian):
    x = torch.randn(3, 2, HEIGHT, WIDTH, dtype=torch.float64)
    for b in range(2):
        assert_close(gaussian.log_prob(x)[:, b], dense(gaussian, b).log_prob(flat(x[:, b])))
        assert_close(gaussian.entropy()[b], dense(gaussian, b).entropy())
    assert gaussian.log_prob(x).shape == (3, 2)
    assert gaussian.log_prob(x[0]).shape == (2,)
    assert_close(gaussian.log_prob(x[:, :, :, :].reshape(3, 1, 2, HEIGHT, WIDTH))[:, 0], gaussian.log_prob(x))


def test_one_image_is_compared_with_every_gaussian(gaussian):
    x = torch.randn(HEIGHT, WIDTH, dtype=torch.float64)
    assert_close(gaussian.log_prob(x), gaussian.log_prob(x.expand(2, HEIGHT, WIDTH)))


def test_moments_are_the_dense_ones(gaussian):
    variance, covariance, correlation = gaussian.variance, gaussian.covariance(PIXELS), gaussian.correlation(PIXELS)
    for b in range(2):
        sigma = dense(gaussian, b).covariance_matrix
        assert_close(flat(variance[b]), sigma.diagonal())
        assert_close(flat(covariance[b]), sigma[RASTER])
        std = sigma.diagonal().sqrt()
        assert_close(flat(correlation[b]), sigma[RASTER] / std[RASTER, None] / std)
    assert_close(gaussian.stddev, variance.sqrt())
    assert_close(gaussian.mean, gaussian.loc[:, 0])


def test_functionals_are_the_dense_ones(gaussian):
    weights = torch.randn(3, HEIGHT, WIDTH, dtype=torch.float64)
    found = gaussian.functionals(weights)
    for b in range(2):
        one = dense(gaussian, b)
        assert_close(found.mean[b], flat(weights) @ one.mean)
        assert_close(found.covariance_matrix[b], flat(weights) @ one.covariance_matrix @ flat(weights).T)


def test_samples_are_coloured_noise(gaussian):
    samples = gaussian.sample(5, seed=1)
    assert samples.shape == (5, 2, HEIGHT, WIDTH)
    noise = gaussian.whiten(samples)
    assert_close(gaussian.colour(noise), samples)
    for b in range(2):
        image = (m[b].numpy() for m in (gaussian.loc[:, 0], gaussian.log_diagonal[:, 0], gaussian.off_diagonal))
        drawn = reference.sample(noise[0, b].numpy(), *image, metadata_of(gaussian.order))
        assert_close(samples[0, b], torch.from_numpy(drawn))


def test_samples_have_the_moments():
    g = random_gaussian(supn.CoarseToFine(12, 12, 2), batch=1)
    samples = g.sample(20000, seed=2)[:, 0]
    error = (samples.mean(0) - g.mean[0]) / (g.stddev[0] / math.sqrt(20000))
    assert error.abs().max() < 5
    assert ((samples.var(0) / g.variance[0] - 1) * math.sqrt(20000 / 2)).abs().max() < 5


def test_a_sample_depends_on_seed_and_name_alone(gaussian):
    samples = gaussian.sample(3, seed=9)
    assert torch.equal(gaussian[1].sample(3, seed=9)[:, 0], samples[:, 1])
    assert torch.equal(gaussian.sample((2, 3), seed=9)[0], gaussian.sample(6, seed=9)[:3])
    assert torch.equal(gaussian.sample(seed=9), samples[0])
    assert not torch.equal(gaussian.sample(3, seed=10), samples)
    own = [supn.image_seed(9, name) for name in gaussian.names]
    assert torch.equal(gaussian.sample(3, seed=own), samples)
    torch.manual_seed(4)
    first = gaussian.sample()
    torch.manual_seed(4)
    assert torch.equal(gaussian.sample(), first)


def test_an_image_many_times_over_has_noise_of_its_own_each_time(gaussian):
    three = gaussian[0].expand([3])
    assert three.batch_shape == (3,)
    samples = three.sample(seed=1)
    assert not torch.equal(samples[0], samples[1])


def test_divergence_is_the_dense_one(gaussian):
    other = random_gaussian(ORDERS["raster2"], seed=8)
    for p, q in ((gaussian, other), (other, gaussian)):
        found = kl_divergence(p, q)
        for b in range(2):
            assert_close(found[b], kl_divergence(dense(p, b), dense(q, b)))
    assert_close(kl_divergence(Independent(gaussian, 1), Independent(other, 1)), kl_divergence(gaussian, other).sum())


def test_a_batch_as_one_event(gaussian):
    x = gaussian.sample(2, seed=1)
    assert_close(Independent(gaussian, 1).log_prob(x), gaussian.log_prob(x).sum(1))


def test_conditioning_is_the_dense_one(gaussian):
    known, values, noise = [[1, 1], [5, 7], [0, 3]], torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64), [0.1, 0.2, 0.3]
    raster = torch.tensor([row * WIDTH + column for row, column in known])
    posterior = gaussian[1].condition(known, values, noise)
    one = dense(gaussian, 1)
    sigma = one.covariance_matrix
    of_values = torch.distributions.MultivariateNormal(
        one.mean[raster], sigma[raster][:, raster] + torch.diag(torch.tensor(noise, dtype=torch.float64) ** 2))
    gain = torch.linalg.solve(of_values.covariance_matrix, sigma[raster]).T
    assert_close(flat(posterior.mean[0]), one.mean + gain @ (values - one.mean[raster]))
    assert_close(flat(posterior.variance[0]), (sigma - gain @ sigma[raster]).diagonal())
    assert_close(posterior.log_evidence, of_values.log_prob(values).item())
    inverse = torch.linalg.inv(of_values.covariance_matrix)
    assert_close(posterior.distances, (inverse @ (values - one.mean[raster])).abs() / inverse.diagonal().sqrt())
    draws = posterior.sample(4000, seed=1)
    assert draws.shape == (4000, 1, HEIGHT, WIDTH)
    error = (draws.mean(0) - posterior.mean) / (posterior.stddev / math.sqrt(4000))
    assert error.abs().max() < 5


def test_exactly_known_pixels_keep_their_values(gaussian):
    posterior = gaussian[0].condition([[2, 2]], [1.5])
    assert posterior.mean[0, 2, 2] == 1.5 and posterior.variance[0, 2, 2] == 0
    assert (posterior.sample(2, seed=1)[:, 0, 2, 2] == 1.5).all()


def test_the_best_measurement_reduces_the_variance_most():
    g = random_gaussian(supn.Raster(1), batch=1)
    pixels, total = g.plan_measurements(1, noise=0.1)
    reached = [g.condition([[row, column]], [0.0], 0.1).variance.sum() for row in range(HEIGHT) for column in range(WIDTH)]
    assert_close(total[1], min(reached))
    assert_close(total[1], reached[int(pixels[0, 0] * WIDTH + pixels[0, 1])])


@pytest.mark.parametrize("order", [ORDERS["raster1"], ORDERS["coarse_to_fine"]], ids=str)
@pytest.mark.parametrize("function", ["log_prob", "rsample", "whiten", "colour", "entropy"])
def test_gradients_are_those_of_finite_differences(order, function):
    g = random_gaussian(order, batch=1)
    x = torch.randn(1, 1, HEIGHT, WIDTH, dtype=torch.float64)
    arguments = {"rsample": lambda _: (2, 1), "entropy": lambda _: ()}.get(function, lambda value: (value,))

    def applied(value, *maps):
        return getattr(supn.StructuredGaussian(*maps, order), function)(*arguments(value))

    maps = [m.clone().requires_grad_() for m in (g.loc, g.log_diagonal, g.off_diagonal)]
    x.requires_grad_(function not in ("rsample", "entropy"))
    assert gradcheck(applied, (x, *maps), fast_mode=True)


def test_gradients_of_the_loss_are_those_of_the_dense_density(gaussian):
    members = torch.randn(4, 2, HEIGHT, WIDTH, dtype=torch.float64)
    maps = [m.requires_grad_() for m in (gaussian.loc, gaussian.log_diagonal, gaussian.off_diagonal) if m.numel()]
    loss = supn.nll_loss(gaussian, members)
    by_hand = -torch.stack([dense(gaussian, b).log_prob(flat(members[:, b])) for b in range(2)]).mean() / (HEIGHT * WIDTH)
    assert_close(loss, by_hand)
    expected = torch.autograd.grad(by_hand, maps)
    for found, wanted in zip(torch.autograd.grad(loss, maps), expected):
        assert_close(found, wanted)


def test_scales_add_up_and_a_bounded_image_gets_no_gradient():
    g = random_gaussian(supn.Raster(1))
    members = torch.randn(4, 2, HEIGHT, WIDTH, dtype=torch.float64)
    assert_close(supn.nll_loss([g, g], [members, members]), 2 * supn.nll_loss(g, members))
    g.loc.requires_grad_()
    per_image = -g.log_prob(members).mean(0) / (HEIGHT * WIDTH)
    bound = float(-per_image.detach().mean())
    supn.nll_loss(g, members, bound=bound).backward()
    bounded = int(per_image.argmin())
    assert (g.loc.grad[bounded] == 0).all() and (g.loc.grad[1 - bounded] != 0).any()
    with pytest.raises(ValueError, match="predictions must be"):
        supn.nll_loss(g, members.transpose(0, 1))


def test_a_training_loop_learns_the_distribution():
    truth = random_gaussian(supn.CoarseToFine(12, 12, 2), batch=1, dtype=torch.float32)
    members = truth.sample(64, seed=1)
    maps = [torch.zeros_like(m).requires_grad_() for m in (truth.loc, truth.log_diagonal, truth.off_diagonal)]
    optimizer = torch.optim.Adam(maps, lr=0.05)

    @torch.compile(backend="eager")  # operators are left as they are
    def loss_of(*tensors):
        return supn.nll_loss(supn.StructuredGaussian(*tensors, truth.order, validate_args=False), members)

    for _ in range(150):
        optimizer.zero_grad()
        loss = loss_of(*maps)
        loss.backward()
        optimizer.step()
    # More parameters than the truth's own fit the members better, never worse.
    assert loss < supn.nll_loss(truth, members)


def test_what_has_no_gradient_says_so(gaussian):
    gaussian.loc.requires_grad_()
    for call in (lambda: gaussian.variance, lambda: gaussian.covariance(PIXELS),
                 lambda: kl_divergence(gaussian, gaussian), lambda: gaussian[0].condition([[0, 0]], [0.0])):
        with pytest.raises(RuntimeError, match="no gradient"):
            call()
        with torch.no_grad():
            call()
    assert kl_divergence(gaussian.detach(), gaussian.detach()).abs().max() < 1e-9


def test_float32_gives_float32(gaussian):
    single = gaussian.to(torch.float32)
    for value in (single.variance, single.sample(seed=1), single.covariance(PIXELS), single.entropy()):
        assert value.dtype == torch.float32
    assert_close(single.variance.double(), gaussian.variance, rtol=1e-3, atol=1e-5)


def test_refusals():
    g = random_gaussian(supn.Raster(1))
    with pytest.raises(ValueError, match=r"image of 7 rows and 9 columns, got \[7, 0\]"):
        g.covariance([[7, 0]])
    with pytest.raises(ValueError, match=r"g\[b\]"):
        g.condition([[0, 0]], [0.0])
    with pytest.raises(RuntimeError, match="off_diagonal must have the shape"):
        supn.StructuredGaussian(g.loc, g.log_diagonal, g.off_diagonal, supn.Raster(2))
    with pytest.raises(ValueError, match="as many names"):
        supn.StructuredGaussian(g.loc, g.log_diagonal, g.off_diagonal, supn.Raster(1), names=["a"])
    with pytest.raises(RuntimeError, match="log_prob"):
        g.log_prob(torch.zeros(2, HEIGHT, WIDTH))  # float32
    with pytest.raises(ValueError, match="standard deviation"):
        g[0].condition([[0, 0]], [0.0], -1.0)


def test_values_that_are_not_finite_are_told():
    g = random_gaussian(supn.Raster(1), dtype=torch.float32)
    exploding = supn.StructuredGaussian(g.loc, g.log_diagonal, 1e6 * g.off_diagonal.abs(), supn.Raster(1))
    with pytest.warns(RuntimeWarning, match="not finite"):
        exploding.sample(seed=1)


def test_files_keep_the_gaussian(gaussian, tmp_path):
    gaussian.save(tmp_path / "g.safetensors")
    again = supn.StructuredGaussian.read(tmp_path / "g.safetensors")
    assert again.order == gaussian.order and again.quantity == gaussian.quantity
    assert torch.equal(again.off_diagonal, gaussian.off_diagonal) and torch.equal(again.loc, gaussian.loc)
    assert torch.equal(again.sample(seed=3), gaussian.sample(seed=3))
    means, *_ = reference.read(tmp_path / "g.safetensors")
    assert_close(torch.from_numpy(means), gaussian.loc)
    with pytest.raises(RuntimeError, match="none.safetensors"):
        supn.StructuredGaussian.read(tmp_path / "none.safetensors")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_a_gpu_gives_what_the_cpu_gives(gaussian):
    on_gpu = gaussian.to("cuda")
    x = torch.randn(3, 2, HEIGHT, WIDTH, dtype=torch.float64)
    assert_close(on_gpu.log_prob(x.cuda()).cpu(), gaussian.log_prob(x))
    assert_close(on_gpu.sample(3, seed=1).cpu(), gaussian.sample(3, seed=1))
    assert on_gpu.variance.is_cuda
    assert_close(on_gpu.variance.cpu(), gaussian.variance)
