"""Loads torch.ops.supn, and calls it."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from ._built_for import TORCH_VERSION


def _load() -> None:
    installed = torch.__version__.split("+")[0]
    if installed.split(".")[:2] != TORCH_VERSION.split(".")[:2]:
        raise ImportError(f"supn was built for torch {TORCH_VERSION}, and this is torch {installed}: "
                          "install it again (pip install --force-reinstall --no-deps ./python)")
    torch.ops.load_library(str(Path(__file__).parent / "supn_operators.so"))


_load()

from . import _traced  # noqa: E402  (it needs the operators)


def call(name: str, *arguments: Any) -> Any:
    """torch.ops.supn.<name>(*arguments). torch.compile takes differentiable ones into its graph, and leaves the
    others out of it.
    """
    if torch.compiler.is_compiling() and name in _traced.NAMES:
        return getattr(torch.ops.supn_traced, name)(*arguments)
    return _outside(name, *arguments)


@torch.compiler.disable
def _outside(name: str, *arguments: Any) -> Any:
    return getattr(torch.ops.supn, name)(*arguments)


def as_signed(seed: int) -> int:
    """A seed of 64 bits as the signed integer that an operator takes."""
    if not -(1 << 63) <= seed < 1 << 64:
        raise ValueError(f"a seed has 64 bits, got {seed}")
    return seed - (1 << 64) if seed >= 1 << 63 else seed


def image_seed(seed: int, name: str) -> int:
    """The seed of one image of a run, as the programs make it of --seed and the image's name."""
    return call("image_seed", as_signed(seed), name)
