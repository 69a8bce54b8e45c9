"""The Gaussian of one image, given measured values of some pixels."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from . import _operators

if TYPE_CHECKING:
    from .gaussian import Seed, Shape, StructuredGaussian


class ConditionedGaussian:
    """Exact, by Bayes' rule, in float64; computes what is asked for when it is asked for.

    Made by StructuredGaussian.condition(pixels, values, noise). Results have the prior's dtype.
    """

    def __init__(self, prior: StructuredGaussian, raster_pixels: Tensor, values: Any, noise: Any) -> None:
        if len(prior) != 1:
            raise ValueError(f"one image at a time, got {len(prior)}: g[b].condition(…)")
        prior._require_no_graph("condition")
        self.prior = prior
        variance = None
        if noise is not None:
            std = torch.as_tensor(noise, dtype=torch.float64).reshape(-1)
            if (std < 0).any():
                raise ValueError("noise is a standard deviation: it cannot be negative")
            variance = std.square()
        self._posterior = torch.classes.supn.Conditioned(
            prior._maps, raster_pixels, torch.as_tensor(values, dtype=torch.float64).reshape(-1), variance)

    @property
    def mean(self) -> Tensor:
        """[1,H,W]; exactly known pixels have their value."""
        return self._posterior.mean()[:, 0].to(self.prior.loc)

    @property
    def variance(self) -> Tensor:
        """[1,H,W]."""
        return self._posterior.variance()[:, 0].to(self.prior.loc)

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = (), seed: Seed = None) -> Tensor:
        """[*sample_shape,1,H,W]: the prior's samples of the same seed, conditioned."""
        shape = torch.Size([sample_shape] if isinstance(sample_shape, int) else sample_shape)
        (of_image,) = self.prior._seeds(seed)
        values = self._posterior.samples(of_image, 0, shape.numel()).to(self.prior.loc)
        return values.transpose(0, 1).reshape(shape + self.prior.batch_shape + self.prior.event_shape)

    @property
    def log_evidence(self) -> float:
        """Log-density of the measured values under the prior, nats."""
        return self._posterior.log_evidence()

    @property
    def distances(self) -> Tensor:
        """[M], standard deviations of each value from what all others predict; large: an outlier."""
        return self._posterior.distances()
