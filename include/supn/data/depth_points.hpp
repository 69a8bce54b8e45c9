// Measured depths as a list, for people and other programs:
//
//   x,y,depth_m
//   620,187,14.25
//
// x counts columns from the left, y rows from the top, both from 0; depth in metres. A fourth column
// std_m gives each measurement a standard deviation of its own, in metres, 0 = exact. Blank lines and
// lines that start with # are skipped.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "supn/image_size.hpp"

namespace supn {

// float64 [H,W] in metres.
struct DepthPointMaps {
  at::Tensor depth_m;     // 0 = no measurement
  at::Tensor std_m = {};  // undefined without its column
};

// Throws IoError "<file>:<line>: ..." for a missing header, another number of fields, a coordinate
// that is no pixel of the image, a depth that is not finite and positive, a std that is not finite or
// negative, or a pixel that was given before; "<file>: ..." for a file that cannot be read or names no
// points.
DepthPointMaps read_depth_points(const std::filesystem::path& path, const ImageSize& size);

}  // namespace supn
