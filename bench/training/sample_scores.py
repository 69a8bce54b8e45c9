"""How maps vary from pixel to pixel, by the definitions of include/supn/evaluation/scores/{texture,spread}.hpp."""

import math

import torch


def correlation_length(x, axis):
    """Distance along the axis of x [S,H,W] at which the correlation has fallen to 1/e (texture.hpp)."""
    size = x.shape[axis]
    squares = x.square().transpose(axis, 2).sum((0, 1))

    def correlation(lag):
        products = (x.narrow(axis, lag, size - lag) * x.narrow(axis, 0, size - lag)).sum()
        return (products / (squares[lag:].sum() * squares[: size - lag].sum()).sqrt()).item()

    target, longest = math.exp(-1), size // 2
    low, low_value, high = 0, 1.0, 1
    while (high_value := correlation(high)) >= target:
        if high == longest:
            return float(longest)
        low, low_value, high = high, high_value, min(2 * high, longest)
    while high - low > 1:
        middle = (low + high) // 2
        value = correlation(middle)
        if value < target:
            high, high_value = middle, value
        else:
            low, low_value = middle, value
    return low + (low_value - target) / (low_value - high_value)


def texture(maps):
    """Roughness and correlation lengths along rows and columns of maps [S,H,W] (texture.hpp)."""
    x = maps.double() - maps.double().mean(0)
    squares = [x.diff(dim=axis).square() for axis in (1, 2)]
    step = sum(part.sum() for part in squares) / sum(part.numel() for part in squares)
    return (step / x.square().mean()).sqrt().item(), correlation_length(x, 2), correlation_length(x, 1)


def spread_ratio(std, reference):
    """5 %, median and 95 % over pixels (spread.hpp)."""
    return torch.quantile((std / reference).flatten(), torch.tensor([0.05, 0.5, 0.95], dtype=torch.float64)).tolist()
