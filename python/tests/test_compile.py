"""torch.compile takes densities and losses into one graph, with the values and gradients of eager PyTorch."""
from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

import supn
from conftest import ORDERS, random_gaussian

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()


# aot_eager traces as the default does, and needs no C++ compiler.
@pytest.mark.parametrize("order", [ORDERS["raster2"], ORDERS["coarse_to_fine"]], ids=["raster", "coarse_to_fine"])
@pytest.mark.parametrize("bound", [float("inf"), -1.5])
def test_loss_of_a_network_of_ones_own(order, bound):
    given = random_gaussian(order, dtype=torch.float32)
    fields = torch.randn(3, *given.batch_shape, *given.event_shape)

    def loss(loc, log_diagonal, off_diagonal, fields):
        g = supn.StructuredGaussian(loc.tanh(), log_diagonal * 0.5, off_diagonal, order, validate_args=False)
        return supn.nll_loss(g, fields, bound)

    def with_gradients(function):
        inputs = [m.detach().clone().requires_grad_() for m in (*given._maps[:3], fields)]
        value = function(*inputs)
        value.backward()
        return value, [i.grad for i in inputs]

    value, gradients = with_gradients(torch.compile(loss, fullgraph=True, backend="aot_eager"))
    expected, expected_gradients = with_gradients(loss)
    assert_close(value, expected)
    for found, wanted in zip(gradients, expected_gradients):
        assert_close(found, wanted)


def test_density_of_a_gaussian_at_hand(gaussian):
    x = torch.randn(2, *gaussian.batch_shape, *gaussian.event_shape, dtype=torch.float64)
    density = torch.compile(lambda x: gaussian.log_prob(x) + gaussian.entropy(), fullgraph=True, backend="aot_eager")
    assert_close(density(x), gaussian.log_prob(x) + gaussian.entropy())
    white = torch.compile(gaussian.whiten, fullgraph=True, backend="aot_eager")
    assert_close(white(x), gaussian.whiten(x))


@pytest.mark.parametrize("order", [ORDERS["raster2"], ORDERS["coarse_to_fine"]], ids=["raster", "coarse_to_fine"])
@pytest.mark.parametrize("name", sorted(supn._traced.NAMES))
def test_traced_operators_pass_torchs_own_check(order, name):
    gaussian = random_gaussian(order)
    maps = [m.detach().requires_grad_() if isinstance(m, torch.Tensor) else m for m in gaussian._maps]
    takes_a_field = name not in ("entropy", "log_determinant")
    field = [torch.randn(2, 3, *gaussian.event_shape, dtype=torch.float64, requires_grad=True)] if takes_a_field else []
    torch.library.opcheck(getattr(torch.ops.supn_traced, name).default, (*maps, *field))


def test_what_has_no_gradient_is_left_out_of_the_graph(gaussian):
    g = gaussian.detach()
    assert_close(torch.compile(lambda: g.variance * 2.0, backend="aot_eager")(), g.variance * 2.0)
