// These functions draw samples of a structured Gaussian in the quantity asked for.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "inference/quantity.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/image_size.hpp"
#include "supn/option_fields.hpp"

namespace supn {

template <>
struct OptionNames<SampleMethod> {
  static constexpr std::array<std::pair<std::string_view, SampleMethod>, 2> values{
      {{"exact", SampleMethod::kExact}, {"jacobi", SampleMethod::kJacobi}}};
};

struct DrawOptions {
  std::int64_t count = 8;
  std::int64_t std_samples = 40;
  SampleMethod method = SampleMethod::kExact;
  std::int64_t iterations = 1000;
  OutputQuantity output;
};

struct DrawnMaps {
  at::Tensor mean;     // float32 [h,w]: the quantity of the predicted mean logits
  at::Tensor std;      // float32 [h,w]: unbiased, of the first max(count, std_samples) samples
  at::Tensor samples;  // float32 [count,h,w]
  SolveReport report;  // over all samples drawn, in logits
};

// Returns maps of `size`, on the CPU; sample i depends on (seed, i) only. The order from coarse to
// fine is drawn where the Gaussian lies, the raster order on the CPU.
DrawnMaps draw(const StructuredGaussian& gaussian,
               std::uint64_t seed,
               const DrawOptions& options,
               const ImageSize& size);

}  // namespace supn
