// Standard normal noise as an explicit function of (seed, sample, pixel): Philox4x32-10 with the key
// from the image's seed and the counter from (pixel, sample), then Box–Muller in float64. Same seed,
// same bits, whatever the batch, the range of samples asked for, or the number of threads. float32
// noise is the float64 noise rounded.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace supn {

// Samples first, first+1, …, first+count−1 of the endless sequence that a seed stands for.
struct SampleRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

struct NoiseShape {
  SampleRange samples;
  std::int64_t height;
  std::int64_t width;
};

// [B,S,H,W] on the CPU, B = seeds.size(): one seed for each image. dtype float32 or float64.
at::Tensor standard_normal(std::span<const std::uint64_t> seeds,
                           const NoiseShape& shape,
                           at::ScalarType dtype);

// A seed for one image of a run: images get independent noise, and the same noise wherever they are
// in a list. FNV-1a over the identifier, mixed with the run's seed.
std::uint64_t image_seed(std::uint64_t run_seed, std::string_view image_id);

}  // namespace supn
