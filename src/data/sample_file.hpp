// A sample file holds members' maps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <span>

#include "supn/image_size.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {

struct SampleShape {
  std::int64_t members = 0;  // 0 = any
  ImageSize size;
};

// Returns float32 [S,h,w] of a .npy file of float16, float32 or float64. Throws IoError for a file
// that is missing, damaged, of another dtype or shape, or holds a value that is not finite.
at::Tensor read_sample_file(const std::filesystem::path& file, const SampleShape& expected);

// S as the header of the file says. Throws IoError as above; does not read the values.
std::int64_t check_sample_header(const std::filesystem::path& file, const SampleShape& expected);

// [S,h,w] float32 with the members named, in their order.
at::Tensor select_members(const at::Tensor& maps, std::span<const std::int64_t> members);

// Turns [S,h,w] into [S,h/2,w/2], means of 2×2 pixels; h and w are even.
at::Tensor halved_maps(const at::Tensor& maps);

}  // namespace supn
