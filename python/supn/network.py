"""A trained network of a checkpoint."""
from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Sequence, Union

import numpy as np
import torch
from torch import Tensor

from . import _operators
from .files import read_image
from .gaussian import StructuredGaussian, _order_of

Path_ = Union[str, "os.PathLike[str]"]
Image = Union[Path_, "np.ndarray[Any, Any]"]


class Network:
    """A checkpoint's network, with its temperature, in evaluation mode."""

    def __init__(self, checkpoint: Path_, device: str | torch.device = "cpu",
                 calibration: str | None = None) -> None:
        if calibration not in (None, "members", "truth", "none"):
            raise ValueError(f"calibration: expected members, truth or none, got {calibration!r}")
        self._network = torch.classes.supn.Network(os.fspath(checkpoint), str(device), calibration or "")
        height, width = self._network.size()
        self.size: tuple[int, int] = (height, width)
        self.temperature: float = self._network.temperature()
        self.calibration: str = self._network.calibration()

    def __call__(self, images: Image | Sequence[Image] | Tensor,
                 names: Sequence[str] | None = None) -> StructuredGaussian:
        """The Gaussian over logits of disparity.

        images: a file, an array uint8 [H,W,3], or a list of either, of any size: resized as the programs
        do; or a tensor [B,3,H,W] of self.size with RGB in [0, 1]. Files are named by their stem, on
        which samples depend (StructuredGaussian).
        """
        if isinstance(images, Tensor):
            batch = self._checked(images)
        else:
            several: list[Any] = list(images) if isinstance(images, (list, tuple)) else [images]
            if not several:
                raise ValueError("no image")
            if names is None and all(isinstance(i, (str, os.PathLike)) for i in several):
                names = [Path(i).stem for i in several]
            batch = torch.stack([self._resized(i) for i in several])
        mean, log_diagonal, off_diagonal, numbers = self._network.predict(batch)
        gaussian = StructuredGaussian(mean, log_diagonal, off_diagonal, _order_of(numbers), names=names)
        for b, name in enumerate(gaussian.names):
            self._warn(name, batch[b].cpu(), gaussian[b])
        return gaussian

    def _resized(self, image: Image) -> Tensor:
        pixels = read_image(image) if isinstance(image, (str, os.PathLike)) else np.asarray(image)
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise ValueError(f"an array must be uint8 [H,W,3], got {pixels.dtype} {list(pixels.shape)}")
        resized = _operators.call("resize_lanczos", torch.from_numpy(np.ascontiguousarray(pixels)), *self.size)
        return resized.permute(2, 0, 1).to(torch.float32).div(255.0).contiguous()

    def _checked(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or tuple(images.shape[1:]) != (3, *self.size):
            raise ValueError(f"a tensor must be [B,3,{self.size[0]},{self.size[1]}], got {list(images.shape)}: "
                             "resize it, or give uint8 arrays")
        if images.dtype != torch.float32:
            raise ValueError(f"a tensor must be float32, got {images.dtype}")
        if not bool(((images >= 0) & (images <= 1)).all()):
            raise ValueError("a tensor's RGB values must lie in [0, 1]; divide those in 0..255 by 255")
        return images

    def _warn(self, name: str, image: Tensor, gaussian: StructuredGaussian) -> None:
        warning = self._network.warning(image, gaussian._maps)
        if warning:
            warnings.warn(f"{name}: {warning}", RuntimeWarning, stacklevel=3)


def load(checkpoint: Path_, device: str | torch.device = "cpu", *, calibration: str | None = None) -> Network:
    """The network in a checkpoint's folder, for example runs/kitti/best.

    calibration: how wide its Gaussians are, as --calibrated-on of the programs: fitted on the ensemble's
    "members", on ground "truth" (an error where the checkpoint has no such), or "none", as trained. Without:
    the members' where the checkpoint has it, else none. Network.calibration says which, and of what.
    """
    return Network(checkpoint, device, calibration)
