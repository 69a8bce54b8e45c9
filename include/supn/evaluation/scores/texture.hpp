// Texture describes how samples vary from pixel to pixel, by the same estimate for a model's
// samples and for an ensemble's members. With x the deviations from the mean of the maps at each
// pixel, pooled over all pixels and maps:
//
//   roughness   √(mean (x_n − x_m)² over horizontal and vertical neighbours / mean x²): √2 for
//               independent pixels, near 0 for smooth fields
//   length      distance along rows or columns at which the correlation of x has fallen to 1/e, in
//               pixels, linear between whole ones; at most half the image
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

struct Texture {
  double roughness = 0.0;
  double length_rows = 0.0;
  double length_columns = 0.0;
};

// values [S,h,w], S >= 2. NaN where a value is not finite or all maps are equal; a length of 0
// where the image is too narrow. Throws c10::Error for another shape.
Texture texture(const at::Tensor& values);

}  // namespace supn
