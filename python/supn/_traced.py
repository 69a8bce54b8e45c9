"""Differentiable operators as torch.compile takes them into its graphs: torch.ops.supn_traced.*.

torch.ops.supn.* record a graph of their own as they run, which a tracer cannot look into. Here each is an opaque
node with the shape of its result, and a second one for its gradients, which runs the operator once more.
"""
from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterator, Sequence

import torch
from torch import Tensor

NAMES: set[str] = set()


@contextmanager
def _recording() -> Iterator[None]:
    """Autograd as it is outside of an operator, where dispatch has left it behind."""
    without = torch._C._dispatch_tls_local_exclude_set()
    for key in ("AutogradCPU", "AutogradCUDA", "AutogradOther", "ADInplaceOrView"):
        without = without.remove(getattr(torch._C.DispatchKey, key))
    with torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), without), torch.enable_grad():
        yield


def _gradients(name: str, gradient: Tensor, order: Sequence[int], tensors: Sequence[Tensor]) -> list[Tensor]:
    with _recording():
        inputs = [t.detach().requires_grad_() for t in tensors]
        result = getattr(torch.ops.supn, name)(*inputs[:3], order, *inputs[3:])
        found = torch.autograd.grad(result, inputs, gradient, allow_unused=True)
    return [torch.zeros_like(t) if g is None else g.contiguous() for g, t in zip(found, tensors)]


def _define(name: str, shape_of: Callable[..., Tensor], field: bool) -> None:
    x = ", Tensor x" if field else ""
    maps = f"Tensor mean, Tensor log_diagonal, Tensor off_diagonal, int[] order{x}"
    results = ", ".join(["Tensor"] * (4 if field else 3))
    forward = f"supn_traced::{name}"
    torch.library.define(forward, f"({maps}) -> Tensor")
    torch.library.define(forward + "_backward", f"(Tensor gradient, {maps}) -> ({results})")

    def run(mean: Tensor, log_diagonal: Tensor, off_diagonal: Tensor, order: list[int], *x: Tensor) -> Tensor:
        with torch.no_grad():
            return getattr(torch.ops.supn, name)(mean, log_diagonal, off_diagonal, order, *x)

    def run_backward(gradient: Tensor, mean: Tensor, log_diagonal: Tensor, off_diagonal: Tensor, order: list[int],
                     *x: Tensor) -> tuple[Tensor, ...]:
        return tuple(_gradients(name, gradient, order, (mean, log_diagonal, off_diagonal, *x)))

    for device in ("cpu", "cuda"):
        torch.library.impl(forward, device, run)
        torch.library.impl(forward + "_backward", device, run_backward)
    torch.library.register_fake(forward, shape_of)
    torch.library.register_fake(forward + "_backward",
                                lambda gradient, mean, log_diagonal, off_diagonal, order, *x: tuple(
                                    torch.empty(t.shape, dtype=t.dtype, device=t.device)
                                    for t in (mean, log_diagonal, off_diagonal, *x)))

    def keep(ctx, inputs, output):  # type: ignore[no-untyped-def]
        mean, log_diagonal, off_diagonal, ctx.order, *x = inputs
        ctx.save_for_backward(mean, log_diagonal, off_diagonal, *x)

    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        mean, log_diagonal, off_diagonal, *x = ctx.saved_tensors
        found = getattr(torch.ops.supn_traced, name + "_backward")(
            gradient, mean, log_diagonal, off_diagonal, ctx.order, *x)
        return (*found[:3], None, *found[3:])

    torch.library.register_autograd(forward, backward, setup_context=keep)
    NAMES.add(name)


def _like_x(mean: Tensor, log_diagonal: Tensor, off_diagonal: Tensor, order: list[int], x: Tensor) -> Tensor:
    return torch.empty(x.shape, dtype=mean.dtype, device=mean.device)


for _name in ("whiten", "colour", "factor_times", "factor_transpose_times", "precision_times", "solve_factor",
              "solve_factor_transpose"):
    _define(_name, _like_x, field=True)
_define("log_prob", lambda mean, log_diagonal, off_diagonal, order, x: mean.new_empty(x.shape[:2]), field=True)
for _name in ("entropy", "log_determinant"):
    _define(_name, lambda mean, log_diagonal, off_diagonal, order: mean.new_empty(mean.shape[:1]), field=False)
