// Standard normal noise that is a function of (seed, sample, pixel) and of nothing else.
//
// Philox4x32-10 with key = seed and counter = (pixel / 4, sample) gives four 32-bit words for the
// four pixels of that block in raster order; Box-Muller turns words (0,1) and (2,3) into two
// normals each: r = √(−2 ln((w₀ + ½)/2³²)), angle 2π w₁/2³². Logarithm, sine and cosine are
// polynomials of fused multiply-adds: the same bits on every CPU, for any batch, sample count and
// thread count. Other devices make the same words and agree to rounding: 1e-5 in float32, 1e-13 in
// float64. float64 noise is the float32 noise at higher precision (|difference| < 1e-5), |ε| < 6.8.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "supn/image_size.hpp"

namespace supn {

// Samples first, first + 1, ..., first + count − 1 of an image's endless list of samples.
struct SampleRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

// ε [B,S,H,W], one seed per image (B = seeds.size(), S = range.count). `options` gives dtype
// (float32 or float64) and device, where the values are made. Throws c10::Error if there is no
// seed, the range or the size is not positive, or the dtype is another.
at::Tensor standard_normal(std::span<const std::uint64_t> seeds,
                           const SampleRange& range,
                           const ImageSize& size,
                           const at::TensorOptions& options);

// The seed of one image of a run: a hash of both (FNV-1a of the name, mixed with the run's seed),
// so that an image's samples do not depend on its place in a list.
std::uint64_t image_seed(std::uint64_t run_seed, std::string_view image_id);

}  // namespace supn
