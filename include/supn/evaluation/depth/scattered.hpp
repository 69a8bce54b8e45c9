// Values at scattered pixels become a map: it is linear on the triangles of their Delaunay
// triangulation and takes the nearest one's value outside of it.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/image_size.hpp"

namespace supn {

// pixels: int64 [K], distinct raster indices, K >= 1; values [K] → float64 [h,w]. Throws c10::Error
// for none, or one outside.
at::Tensor interpolate_scattered(const at::Tensor& pixels,
                                 const at::Tensor& values,
                                 const ImageSize& size);

}  // namespace supn
