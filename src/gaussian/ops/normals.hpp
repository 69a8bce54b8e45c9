// The noise of noise.hpp where no kernels are: by ATen alone, on any device.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <cstdint>
#include <span>

#include "supn/gaussian/noise.hpp"

namespace supn::composite {

// Returns [B,S,H,W] from the Philox words of the kernels, in integers of 64 bits, and Box-Muller in
// float64, rounded to the dtype of `options` at the end. Works on some samples at a time, about 200
// MB.
at::Tensor standard_normal(std::span<const std::uint64_t> seeds,
                           const SampleRange& range,
                           const ImageSize& size,
                           const at::TensorOptions& options);

}  // namespace supn::composite
