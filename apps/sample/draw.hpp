// From an image to samples in the quantity asked for.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "supn/gaussian/sample.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class Quantity { kLogit, kDisparity, kDepth };

template <>
struct OptionNames<Quantity> {
  static constexpr std::array<std::pair<std::string_view, Quantity>, 3> values{
      {{"logit", Quantity::kLogit},
       {"disparity", Quantity::kDisparity},
       {"depth", Quantity::kDepth}}};
};

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
  Quantity quantity = Quantity::kLogit;
  std::optional<double> scale;  // of depth; none = relative depth 1/disparity
};

struct DrawnMaps {
  at::Tensor mean;     // float32 [h,w]: the quantity of the predicted mean logits
  at::Tensor std;      // float32 [h,w]: unbiased, of the first max(count, std_samples) samples
  at::Tensor samples;  // float32 [count,h,w]
  SolveReport report;  // over all samples drawn, in logits
};

// "m" for depth with a scale, else a word that claims no unit.
std::string_view unit_of(const DrawOptions& options);

class Sampler {
 public:
  Sampler(LoadedNetwork loaded, c10::Device device);

  const ImageSize& input_size() const { return loaded_.input_size; }
  // rgb: uint8 [H,W,3] of any size. On the CPU the network runs on one thread, since its sums would
  // depend on the number of threads in the last bits, and the maps must not.
  StructuredGaussian predict(const at::Tensor& rgb);

 private:
  LoadedNetwork loaded_;
  c10::Device device_;
};

// Maps of `size`; sample i depends on (seed, i) only. Logits and disparities are resized
// bilinearly, depth as disparity.
DrawnMaps draw(const StructuredGaussian& gaussian,
               std::uint64_t seed,
               const DrawOptions& options,
               const ImageSize& size);

}  // namespace supn
