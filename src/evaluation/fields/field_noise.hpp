// The white noise that a field without a sparse factor is made of.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

#include "supn/gaussian/noise.hpp"

namespace supn {

// Two streams of one seed: a field's own noise must not be that of the pixels.
inline constexpr std::uint64_t kFieldStream = 0x9e3779b97f4a7c15ULL;

// float64 [S,h,w].
inline at::Tensor field_noise(std::uint64_t seed, const SampleRange& range, const ImageSize& size) {
  const std::array<std::uint64_t, 1> seeds{seed};
  return standard_normal(seeds, range, size, at::TensorOptions().dtype(at::kDouble))[0];
}

}  // namespace supn
