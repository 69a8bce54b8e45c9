"""Small random Gaussians of both orders, and their dense forms by an independent reading of the order."""
from __future__ import annotations

import pytest
import torch

import supn
import supn.read_gaussian as reference  # NumPy alone

ORDERS = {"raster1": supn.Raster(1), "raster2": supn.Raster(2), "independent": supn.Raster(0),
          "coarse_to_fine": supn.CoarseToFine(12, 12, 2), "three_classes": supn.CoarseToFine(3, 12, 1)}
HEIGHT, WIDTH = 7, 9


def neighbours(order: supn.Raster | supn.CoarseToFine) -> int:
    return order.neighbours if isinstance(order, supn.CoarseToFine) else 2 * order.radius * (order.radius + 1)


def metadata_of(order: supn.Raster | supn.CoarseToFine) -> dict[str, str]:
    return {name: str(value) for name, value in vars(order).items()}


def random_gaussian(order: supn.Raster | supn.CoarseToFine, batch: int = 2, dtype: torch.dtype = torch.float64,
                    seed: int = 3) -> supn.StructuredGaussian:
    generator = torch.Generator().manual_seed(seed)

    def normal(channels: int) -> torch.Tensor:
        return torch.randn(batch, channels, HEIGHT, WIDTH, generator=generator, dtype=torch.float64)

    return supn.StructuredGaussian(normal(1).to(dtype), (0.3 * normal(1)).to(dtype),
                                   (0.2 * normal(neighbours(order))).to(dtype), order)


def dense(g: supn.StructuredGaussian, b: int) -> torch.distributions.MultivariateNormal:
    """Image b as torch's own distribution; its event is the image, flattened. Differentiable."""
    count = HEIGHT * WIDTH
    diagonal = torch.diag(g.log_diagonal[b].flatten().exp())
    rows, columns, values = [], [], []
    for y, x, others in reference.pixels((HEIGHT, WIDTH), metadata_of(g.order)):
        for k, (ny, nx) in others.items():
            rows.append(y * WIDTH + x)
            columns.append(ny * WIDTH + nx)
            values.append(g.off_diagonal[b, k, y, x])
    transposed = diagonal
    if values:
        transposed = diagonal + torch.zeros_like(diagonal).index_put(
            (torch.tensor(rows), torch.tensor(columns)), torch.stack(values), accumulate=True)
    return torch.distributions.MultivariateNormal(
        g.loc[b].flatten(), precision_matrix=transposed.T @ transposed, validate_args=False)


@pytest.fixture(params=ORDERS.values(), ids=ORDERS.keys())
def gaussian(request: pytest.FixtureRequest) -> supn.StructuredGaussian:
    return random_gaussian(request.param)
