"""What training minimises."""
from __future__ import annotations

import math
from typing import Sequence

from torch import Tensor

from .gaussian import StructuredGaussian


def nll_loss(gaussians: StructuredGaussian | Sequence[StructuredGaussian],
             predictions: Tensor | Sequence[Tensor], bound: float = math.inf) -> Tensor:
    """Sum over scales of the mean of -log p(d)/N over samples and images: nats per pixel per sample.

    predictions [S,B,H,W], or one such for each scale. An image whose log-likelihood per pixel exceeds
    `bound` counts with the bound, and gets no gradient from it. It is ensemble_nll of losses.hpp,
    whose predictions are [B,S,H,W].
    """
    if isinstance(gaussians, StructuredGaussian):
        return _term(gaussians, predictions, bound)  # type: ignore[arg-type]
    if len(gaussians) != len(predictions) or not gaussians:
        raise ValueError(f"as many scales on both sides, got {len(gaussians)} and {len(predictions)}")
    terms = [_term(g, d, bound) for g, d in zip(gaussians, predictions)]
    return sum(terms[1:], terms[0])


def _term(gaussian: StructuredGaussian, predictions: Tensor, bound: float) -> Tensor:
    if predictions.shape[1:] != gaussian.batch_shape + gaussian.event_shape or predictions.dim() != 4:
        raise ValueError(f"predictions must be [S,{','.join(map(str, gaussian.batch_shape + gaussian.event_shape))}], "
                         f"got {list(predictions.shape)}")
    log_probs = gaussian._call("log_prob", predictions.transpose(0, 1))  # [B,S]
    pixels = gaussian.event_shape.numel()
    if math.isinf(bound):
        return log_probs.mean() * (-1.0 / pixels)
    return (log_probs.mean(1) * (-1.0 / pixels)).clamp_min(-bound).mean()
