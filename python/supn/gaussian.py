"""The value at the centre: a joint Gaussian over the pixels of each image of a batch."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, Iterable, Sequence, Union

import torch
from torch import Tensor
from torch.distributions import Distribution, MultivariateNormal, constraints, register_kl

from . import _operators
from .conditioned import ConditionedGaussian
from .depth import DepthDistribution

LOGIT = "logit of disparity"


@dataclass(frozen=True)
class Raster:
    """Order of the pixels: rows, with the later pixels of a (2r+1) x (2r+1) window as neighbours."""
    radius: int = 2

    @property
    def numbers(self) -> list[int]:
        """As the operators take it."""
        return [self.radius]


@dataclass(frozen=True)
class CoarseToFine:
    """Order of the pixels: a grid of stride 2^levels, then level after level the pixels between."""
    classes: int = 12
    neighbours: int = 12
    levels: int = 5

    @property
    def numbers(self) -> list[int]:
        """As the operators take it."""
        return [self.classes, self.neighbours, self.levels]


Order = Union[Raster, CoarseToFine]
Shape = Union[int, Sequence[int]]
Seed = Union[int, Sequence[int], None]


def _order_of(numbers: Sequence[int]) -> Order:
    return Raster(*numbers) if len(numbers) == 1 else CoarseToFine(*numbers)


class StructuredGaussian(Distribution):
    """N(loc, (L L^T)^-1), (L^T x)_n = exp(log_diagonal_n) x_n + sum_k off_diagonal_k[n] x[neighbour k of n].

    loc, log_diagonal [B,1,H,W]; off_diagonal [B,K,H,W]; float32 or float64, one device.
    batch_shape [B], event_shape [H,W]; samples come first, as in all of torch.distributions:
    sample(40) is [40,B,H,W]. Results have the dtype and the device of loc; what says "exact" is
    computed in float64.

    names: one for each image. An image's samples depend on the seed and its name alone; without names
    they are called "0", "1", ….
    """
    arg_constraints = {"loc": constraints.independent(constraints.real, 3),
                       "log_diagonal": constraints.independent(constraints.real, 3),
                       "off_diagonal": constraints.independent(constraints.real, 3)}
    support = constraints.independent(constraints.real, 2)
    has_rsample = True

    def __init__(self, loc: Tensor, log_diagonal: Tensor, off_diagonal: Tensor, order: Order, *,
                 names: Sequence[str] | None = None, quantity: str = LOGIT,
                 validate_args: bool | None = None) -> None:
        if loc.dim() != 4 or loc.shape[1] != 1 or loc.numel() == 0:
            raise ValueError(f"loc must be [B,1,H,W], got {list(loc.shape)}")
        self.loc, self.log_diagonal, self.off_diagonal = loc, log_diagonal, off_diagonal
        self.order, self.quantity = order, quantity
        self.names = tuple(str(b) for b in range(len(loc))) if names is None else tuple(names)
        if len(self.names) != len(loc):
            raise ValueError(f"{len(loc)} images need as many names, got {len(self.names)}")
        super().__init__(loc.shape[:1], loc.shape[2:], validate_args=validate_args)
        self._call("log_determinant")  # checks shapes, dtypes, devices and the order

    # What it is made of.

    @property
    def _maps(self) -> tuple[Tensor, Tensor, Tensor, list[int]]:
        return self.loc, self.log_diagonal, self.off_diagonal, self.order.numbers

    def _with(self, maps: Iterable[Tensor], names: Sequence[str] | None = None) -> StructuredGaussian:
        loc, log_diagonal, off_diagonal = maps
        return StructuredGaussian(loc, log_diagonal, off_diagonal, self.order, quantity=self.quantity,
                                  names=self.names if names is None else names, validate_args=False)

    def to(self, *args: Any, **kwargs: Any) -> StructuredGaussian:
        """Another dtype or device, as torch.Tensor.to."""
        return self._with(m.to(*args, **kwargs) for m in self._maps[:3])

    def detach(self) -> StructuredGaussian:
        return self._with(m.detach() for m in self._maps[:3])

    def __len__(self) -> int:
        return len(self.loc)

    def __getitem__(self, images: int | slice) -> StructuredGaussian:
        """Some images of the batch; g[b] is a batch of one."""
        if isinstance(images, int):
            images = slice(range(len(self))[images], range(len(self))[images] + 1)
        return self._with((m[images] for m in self._maps[:3]), names=self.names[images])

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> StructuredGaussian:
        """One image as a batch of equal ones, each with noise of its own."""
        (count,) = batch_shape
        maps = (m.expand(count, *m.shape[1:]) for m in self._maps[:3])
        return self._with(maps, names=self.names if count == len(self) else [str(b) for b in range(count)])

    # Moments.

    @property
    def mean(self) -> Tensor:
        """[B,H,W]."""
        return self.loc[:, 0]

    mode = mean

    @property
    def variance(self) -> Tensor:
        """Marginal variances [B,H,W], exact; no gradient."""
        return self._exact("marginal_variance")[:, 0]

    def covariance(self, pixels: Any) -> Tensor:
        """Covariances of pixels [[row, column], …] with every pixel, [B,M,H,W], exact; no gradient."""
        return self._exact("covariance_columns", self._raster(pixels))

    def correlation(self, pixels: Any) -> Tensor:
        """The same as correlations; 1 at the pixel itself."""
        return self._exact("correlation_columns", self._raster(pixels))

    def functionals(self, weights: Tensor) -> MultivariateNormal:
        """Joint distribution of sums over the image, weights [M,H,W]: a region's mean, a difference.

        Exact and in float64; no gradient; batch_shape [B], event_shape [M].
        """
        self._require_no_graph("functionals")
        return MultivariateNormal(self._call("functional_mean", weights),
                                  self._call("functional_covariance", weights))

    def entropy(self) -> Tensor:
        """[B], nats."""
        return self._call("entropy")

    # Samples and densities.

    def rsample(self, sample_shape: Shape = (), seed: Seed = None) -> Tensor:
        """[*sample_shape,B,H,W], differentiable in the maps.

        seed: of the run, as --seed of the programs; or one for each image; or drawn from torch's
        generator.
        """
        shape = torch.Size([sample_shape] if isinstance(sample_shape, int) else sample_shape)
        values, _, non_finite = self._call("sample", self._seeds(seed), 0, shape.numel())
        if non_finite:
            warnings.warn(f"{non_finite} of {values.numel()} sampled values are not finite: the factor is "
                          "too strongly coupled for this dtype", RuntimeWarning, stacklevel=2)
        return values.transpose(0, 1).reshape(shape + self.batch_shape + self.event_shape)

    @torch.no_grad()
    def sample(self, sample_shape: Shape = (), seed: Seed = None) -> Tensor:
        """As rsample, without a gradient."""
        return self.rsample(sample_shape, seed)

    def log_prob(self, value: Tensor) -> Tensor:
        """[*sample_shape,B], nats, of values [*sample_shape,B,H,W]; differentiable."""
        fields, shape = self._fields(value)
        return self._call("log_prob", fields).transpose(0, 1).reshape(shape + self.batch_shape)

    def whiten(self, value: Tensor) -> Tensor:
        """L^T (value - loc): independent standard normals if value is a sample."""
        fields, shape = self._fields(value)
        return self._call("whiten", fields).transpose(0, 1).reshape(shape + self.batch_shape + self.event_shape)

    def colour(self, noise: Tensor) -> Tensor:
        """loc + L^-T noise, the inverse of whiten."""
        fields, shape = self._fields(noise)
        return self._call("colour", fields).transpose(0, 1).reshape(shape + self.batch_shape + self.event_shape)

    def condition(self, pixels: Any, values: Any, noise: Any = None) -> ConditionedGaussian:
        """Given measured values [M] of pixels [[row, column], …], with standard deviations `noise`
        (one, [M], or None for exact ones). Of one image: g[b].condition(…).
        """
        return ConditionedGaussian(self, self._raster(pixels), values, noise)

    def plan_measurements(self, count: int, noise: float = 0.0) -> tuple[Tensor, Tensor]:
        """Where to measure next: pixels [count,2] that, one after the other, most reduce the sum of all
        variances, and that sum [count + 1] before and after each. Of one image; greedy.
        """
        pixels, total = self._exact("plan_measurements", count, noise * noise)
        return torch.stack((pixels // self.event_shape[1], pixels % self.event_shape[1]), 1), total

    def to_depth(self, scale: float = 1.0, min_depth: float = 0.1, max_depth: float = 100.0) -> DepthDistribution:
        """The distribution of depth; in metres where the scale is known (stereo of KITTI: 5.4)."""
        if self.quantity != LOGIT:
            raise ValueError(f"this Gaussian is over \"{self.quantity}\"; depth needs one over \"{LOGIT}\"")
        return DepthDistribution(self, scale, min_depth, max_depth)

    # Files (safetensors; include/supn/network/gaussian_file.hpp).

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> StructuredGaussian:
        """What supn_sample --save-gaussian or save() wrote."""
        loc, log_diagonal, off_diagonal, numbers, quantity, metadata = _operators.call("read_gaussian", os.fspath(path))
        name = metadata.get("seed_id", metadata.get("name"))
        names = [name] if name is not None and len(loc) == 1 else None
        return cls(loc, log_diagonal, off_diagonal, _order_of(numbers), quantity=quantity, names=names)

    def save(self, path: str | os.PathLike[str]) -> None:
        """For read(), --gaussian of the programs, and read_gaussian.py."""
        metadata = {"seed_id": self.names[0], "name": self.names[0]} if len(self) == 1 else {}
        maps = (m.detach().cpu() for m in self._maps[:3])
        _operators.call("write_gaussian", *maps, self._maps[3], os.fspath(path), self.quantity, metadata)

    def __repr__(self) -> str:
        height, width = self.event_shape
        return f"StructuredGaussian({len(self)} x {height} x {width}, {self.order}, {self.quantity})"

    # How operators are called.

    def _call(self, name: str, *arguments: Any) -> Any:
        return _operators.call(name, *self._maps, *arguments)

    def _exact(self, name: str, *arguments: Any) -> Any:
        """A result without a graph, in loc's dtype and on its device: only where none is expected."""
        self._require_no_graph(name)
        result = self._call(name, *arguments)
        if isinstance(result, Tensor):
            return result.to(self.loc)
        return result

    def _require_no_graph(self, name: str) -> None:
        if torch.is_grad_enabled() and any(m.requires_grad for m in self._maps[:3]):
            raise RuntimeError(f"{name} has no gradient: call it under torch.no_grad(), or on g.detach()")

    def _fields(self, value: Tensor) -> tuple[Tensor, torch.Size]:
        """[*sample_shape,B,H,W] as the operators' [B,S,H,W], and sample_shape."""
        one = self.batch_shape + self.event_shape
        value = value.expand(torch.broadcast_shapes(value.shape, one))
        return value.reshape(-1, *one).transpose(0, 1), value.shape[:-3]

    def _raster(self, pixels: Any) -> Tensor:
        """[[row, column], …] as indices row·W + column."""
        places = torch.as_tensor(pixels, dtype=torch.int64).reshape(-1, 2)
        height, width = self.event_shape
        size = torch.tensor([height, width])
        if ((places < 0) | (places >= size)).any():
            raise ValueError(f"a pixel is [row, column] in an image of {height} rows and {width} columns, "
                             f"got {places[((places < 0) | (places >= size)).any(1)][0].tolist()}")
        return places[:, 0] * width + places[:, 1]

    def _seeds(self, seed: Seed) -> list[int]:
        if seed is None:
            seed = int(torch.randint(2**63 - 1, ()))
        if isinstance(seed, int):
            return [_operators.image_seed(seed, name) for name in self.names]
        return [_operators.as_signed(s) for s in seed]


@register_kl(StructuredGaussian, StructuredGaussian)
def _kl_divergence(p: StructuredGaussian, q: StructuredGaussian) -> Tensor:
    """[B], nats, exact; no gradient."""
    q._require_no_graph("kl_divergence")
    return p._exact("kl_divergence", *q._maps)
