"""From logits of disparity to depth, as distributions."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

import torch
from torch import Tensor
from torch.distributions import Transform, TransformedDistribution, constraints
from torch.nn.functional import logsigmoid

if TYPE_CHECKING:
    from .gaussian import Seed, Shape, StructuredGaussian


class LogitToDepth(Transform):
    """depth = scale/(1/max_depth + (1/min_depth - 1/max_depth)·sigmoid(logit)); falls with the logit."""
    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = -1

    def __init__(self, scale: float = 1.0, min_depth: float = 0.1, max_depth: float = 100.0) -> None:
        super().__init__()
        if not (0 < min_depth < max_depth and scale > 0):
            raise ValueError("0 < min_depth < max_depth and scale > 0 are needed, got "
                             f"{min_depth}, {max_depth} and {scale}")
        self.scale, self.min_depth, self.max_depth = scale, min_depth, max_depth
        self._least, self._range = 1 / max_depth, 1 / min_depth - 1 / max_depth

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogitToDepth) and (
            (self.scale, self.min_depth, self.max_depth) == (other.scale, other.min_depth, other.max_depth))

    __hash__ = None  # type: ignore[assignment]

    def _call(self, x: Tensor) -> Tensor:
        return self.scale / (self._least + self._range * torch.sigmoid(x))

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.logit((self.scale / y - self._least) / self._range)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2 * y.log() + math.log(self._range / self.scale) + logsigmoid(x) + logsigmoid(-x)


class DepthDistribution(TransformedDistribution):
    """Depth where its logit is a structured Gaussian: log_prob, sample, rsample as ever; quantiles exactly,
    mean and variance by integrals over each pixel's normal logit.
    """
    base_dist: StructuredGaussian

    def __init__(self, logits: StructuredGaussian, scale: float = 1.0, min_depth: float = 0.1,
                 max_depth: float = 100.0, validate_args: bool | None = None) -> None:
        self.transform = LogitToDepth(scale, min_depth, max_depth)
        super().__init__(logits, [self.transform], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> DepthDistribution:
        t = self.transform
        return DepthDistribution(self.base_dist.expand(batch_shape), t.scale, t.min_depth, t.max_depth)

    def rsample(self, sample_shape: Shape = (), seed: Seed = None) -> Tensor:
        return self.transform(self.base_dist.rsample(sample_shape, seed))

    def sample(self, sample_shape: Shape = (), seed: Seed = None) -> Tensor:
        return self.transform(self.base_dist.sample(sample_shape, seed))

    @property
    def median(self) -> Tensor:
        """[B,H,W], exact."""
        return self.transform(self.base_dist.mean)

    def quantile(self, probability: float) -> Tensor:
        """[B,H,W], exact, pixel by pixel."""
        normal = torch.special.ndtri(torch.tensor(1 - probability, dtype=torch.float64)).item()
        return self.transform(self.base_dist.mean + normal * self.base_dist.stddev)

    @property
    def mean(self) -> Tensor:
        """[B,H,W]."""
        return self._moments()[0]

    @property
    def variance(self) -> Tensor:
        """[B,H,W]."""
        return self._moments()[1]

    def _moments(self, step: float = 0.2, nodes: int = 40) -> tuple[Tensor, Tensor]:
        """The trapezoidal rule on ±8 standard deviations, as depth_moments in depth_moments.hpp."""
        centre, std = self.base_dist.mean.double(), self.base_dist.stddev.double()
        origin = self.transform(centre)
        first, second, total = torch.zeros_like(origin), torch.zeros_like(origin), 0.0
        for t in (step * i for i in range(-nodes, nodes + 1)):
            weight = math.exp(-0.5 * t * t)
            deviation = self.transform(centre + t * std) - origin
            first += weight * deviation
            second += weight * deviation.square()
            total += weight
        first, second = first / total, second / total
        return (origin + first).to(self.base_dist.loc), (second - first.square()).clamp_min(0).to(self.base_dist.loc)
