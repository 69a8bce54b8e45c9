"""Structured Gaussian uncertainty of dense predictions, N(mean, (L L^T)^-1) with a sparse L.

    import supn
    g = supn.load("runs/kitti/best")("image.png")   # a torch.distributions.Distribution
    g.sample(40, seed=1)                            # [40, B, H, W], as supn_sample draws them
    g.log_prob(x), g.mean, g.variance               # exact
    g.condition(pixels, values, noise).mean         # given measured values
    g.to_depth(scale=5.4).quantile(0.95)

Convolutional networks of your own: build `StructuredGaussian` from their maps, minimise `nll_loss`.
"""
from ._operators import image_seed
from .conditioned import ConditionedGaussian
from .depth import DepthDistribution, LogitToDepth
from .files import read_depth_png, read_image, write_depth_png
from .gaussian import CoarseToFine, Raster, StructuredGaussian
from .loss import nll_loss
from .network import Network, load

__all__ = [
    "CoarseToFine", "ConditionedGaussian", "DepthDistribution", "LogitToDepth", "Network", "Raster",
    "StructuredGaussian", "image_seed", "load", "nll_loss", "read_depth_png", "read_image", "write_depth_png",
]
