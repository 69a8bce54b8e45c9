// These functions resize images and maps.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/image_size.hpp"

namespace supn {

// Resizes by Lanczos with antialiasing, the same grey levels as PIL's Image.resize(..., LANCZOS),
// the filter that depth networks are trained with. (OpenCV's INTER_LANCZOS4 is another filter: it
// has no antialiasing.)
//
//   w(t) = sinc(t)·sinc(t/3) for |t| < 3,  t = (x + ½ − c)/max(scale, 1),  c = (x' + ½)·scale
//
// with scale = input size / output size and weights that sum to 1, rounded to 22 bits after the
// point. Rows first, then columns; each pass rounds to 8 bits, and is left out where the size
// stays.
//
// image: uint8 [H,W,C], C = 1..4; gives uint8 [size.height,size.width,C]. One thread: callers
// resize many images side by side. Throws c10::Error for another shape, dtype or an empty size.
at::Tensor resize_lanczos(const at::Tensor& image, const ImageSize& size);

// Bilinear with half-pixel centres (align_corners = false), no antialiasing.
// maps: floating point [C,H,W] or [B,C,H,W]; gives the same with the new size. Differentiable.
at::Tensor resize_bilinear(const at::Tensor& maps, const ImageSize& size);

}  // namespace supn
