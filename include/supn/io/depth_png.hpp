// Depth maps in KITTI's format: 16-bit grey PNG, value = 256 · metres, 0 = no measurement.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "supn/image_size.hpp"

namespace supn {

// float32 [H,W] in metres, 0 where there is no measurement. Throws IoError for a file that is
// missing, damaged, too large (kMaxImagePixels) or not a 16-bit grey PNG.
at::Tensor read_depth_png(const std::filesystem::path& path);

// Returns height and width of such a map by its header; refuses every kind of file that
// read_depth_png refuses by its header, without decoding it. Throws as read_depth_png.
ImageSize read_depth_size(const std::filesystem::path& path);

// metres: floating point [H,W]. Values are rounded to 1/256 m and clipped to [0, 255.996]; a
// positive depth never becomes 0 by rounding; NaN and what is not positive become 0 = no
// measurement. The file is complete or absent. Throws IoError if it cannot be written, c10::Error
// for another shape.
void write_depth_png(const std::filesystem::path& path, const at::Tensor& metres);

}  // namespace supn
