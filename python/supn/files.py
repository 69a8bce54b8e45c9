"""Pictures and depth maps as NumPy arrays."""
from __future__ import annotations

import os
from typing import Any, Union

import numpy as np
from PIL import Image, ImageOps

Path_ = Union[str, "os.PathLike[str]"]
Array = np.ndarray[Any, Any]

LEVELS_PER_METRE = 256.0


def read_image(path: Path_) -> Array:
    """RGB, uint8 [H,W,3], turned as the camera was held (EXIF)."""
    with Image.open(path) as image:
        return np.array(ImageOps.exif_transpose(image).convert("RGB"))


def read_depth_png(path: Path_) -> Array:
    """Metres, float32 [H,W], of a 16-bit PNG with metres·256; 0 where there is no value."""
    with Image.open(path) as image:
        levels = np.array(image)
        if levels.ndim != 2 or image.mode not in ("I;16", "I;16B", "I"):
            raise ValueError(f"{path}: a depth map is a grey PNG of 16 bits, this has mode {image.mode}")
    return levels.astype(np.float32) / np.float32(LEVELS_PER_METRE)


def write_depth_png(path: Path_, metres: Any) -> None:
    """metres [H,W] as a 16-bit PNG with metres·256, rounded; what is 0 or not finite is written as 0, "no value".

    Depths up to 255.99 m fit.
    """
    depth = np.asarray(metres, np.float64)
    if depth.ndim != 2:
        raise ValueError(f"a depth map is [H,W], got {list(depth.shape)}")
    levels = np.rint(np.where(np.isfinite(depth), depth, 0.0) * LEVELS_PER_METRE)
    if levels.min() < 0 or levels.max() > 65535:
        raise ValueError(f"{path}: depths from 0 to 255.99 m fit into 16 bits, got {depth.min():g} to {depth.max():g}")
    Image.fromarray(levels.astype(np.uint16)).save(path, format="PNG")
