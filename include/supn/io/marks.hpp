// These functions mark places in a picture.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace supn {

// rgb: uint8 [H,W,3]; pixels: int64 [M], raster indices; colours: uint8 [M,3] or [1,3] for all. A
// copy with a square of (2·radius + 1)² pixels on each, cut off at the border; later ones cover
// earlier ones. Throws c10::Error for other shapes or dtypes or a pixel outside.
at::Tensor with_dots(const at::Tensor& rgb,
                     const at::Tensor& pixels,
                     const at::Tensor& colours,
                     std::int64_t radius);

// A ring around one pixel that leaves its surroundings visible: black, with a white rim.
at::Tensor with_ring(const at::Tensor& rgb, std::int64_t pixel);

}  // namespace supn
