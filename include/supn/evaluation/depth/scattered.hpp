// Values at scattered pixels become a map: it is linear on the triangles of their Delaunay
// triangulation, which cover the convex hull, and takes the nearest one's value outside of it, and
// everywhere where all lie on a line.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/image_size.hpp"

namespace supn {

// pixels: int64 [K], raster indices, K >= 1; values [K] → float64 [h,w]. Throws c10::Error for none,
// one outside or given twice, or an image longer than 30,000 pixels.
at::Tensor interpolate_scattered(const at::Tensor& pixels,
                                 const at::Tensor& values,
                                 const ImageSize& size);

}  // namespace supn
