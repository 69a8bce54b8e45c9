#include "gaussian/conditioning/observation_set.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "gaussian/in_float64.hpp"
#include "gaussian/sparse/pixel_rows.hpp"

namespace supn {
namespace {

at::Tensor checked_values(const at::Tensor& values, std::int64_t count) {
  TORCH_CHECK(values.defined() && values.dim() == 1 && values.size(0) == count,
              kConditioned,
              "values must be [",
              count,
              "] like pixels, got ",
              values.defined() ? values.sizes() : at::IntArrayRef());
  return values.detach().to(at::kCPU).to(at::kDouble).contiguous();
}

at::Tensor checked_variance(const at::Tensor& variance, std::int64_t count) {
  if (!variance.defined()) return at::zeros({count}, at::TensorOptions().dtype(at::kDouble));
  TORCH_CHECK(variance.numel() == 1 || (variance.dim() == 1 && variance.size(0) == count),
              kConditioned,
              "noise_variance must be [",
              count,
              "] like pixels or one element, got ",
              variance.sizes());
  return variance.detach().to(at::kCPU).to(at::kDouble).reshape({-1}).expand({count}).contiguous();
}

void check_finite(std::int64_t i, double value, double variance) {
  TORCH_CHECK(std::isfinite(value),
              kConditioned,
              "the value of observation ",
              i,
              " is ",
              value,
              "; leave out pixels without a measurement");
  TORCH_CHECK(std::isfinite(variance) && variance >= 0.0,
              kConditioned,
              "the noise variance of observation ",
              i,
              " must be finite and not negative, got ",
              variance);
}

std::string place(std::int64_t pixel, const ImageSize& size) {
  return "(" + std::to_string(pixel / size.width) + ", " + std::to_string(pixel % size.width) + ")";
}

}  // namespace

std::vector<std::int64_t> ObservationSet::exact_positions() const {
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < size(); ++i) {
    if (is_exact[static_cast<std::size_t>(i)]) positions.push_back(i);
  }
  return positions;
}

ObservationSet checked_observations(const Observations& observations,
                                    const ImageSize& size,
                                    const at::Device& device) {
  const std::vector<std::int64_t> pixels =
      checked_pixels("ConditionedGaussian", observations.pixels, size);
  ObservationSet set;
  set.given = static_cast<std::int64_t>(pixels.size());
  const at::Tensor values = checked_values(observations.values, set.given);
  const at::Tensor variance = checked_variance(observations.noise_variance, set.given);
  const double* value = values.const_data_ptr<double>();
  const double* noise = variance.const_data_ptr<double>();
  std::unordered_map<std::int64_t, std::int64_t> exact;  // pixel -> first exact observation
  for (std::int64_t i = 0; i < set.given; ++i) {
    check_finite(i, value[i], noise[i]);
    const std::int64_t pixel = pixels[static_cast<std::size_t>(i)];
    if (noise[i] == 0.0) {
      const auto [first, is_new] = exact.try_emplace(pixel, i);
      TORCH_CHECK(is_new || value[first->second] == value[i],
                  kConditioned,
                  "the exact observations ",
                  first->second,
                  " and ",
                  i,
                  " of pixel (row, column) ",
                  place(pixel, size),
                  " contradict each other: ",
                  value[first->second],
                  " and ",
                  value[i],
                  "; keep one, or give a noise variance");
      if (!is_new) continue;
    }
    set.position.push_back(i);
  }
  const auto pixel_of = [&](std::int64_t i) { return pixels[static_cast<std::size_t>(i)]; };
  std::stable_sort(set.position.begin(), set.position.end(), [&](std::int64_t a, std::int64_t b) {
    return place_on_curve(pixel_of(a), size.width) < place_on_curve(pixel_of(b), size.width);
  });
  for (const std::int64_t i : set.position) {
    set.pixels.push_back(pixel_of(i));
    set.is_exact.push_back(noise[i] == 0.0);
  }
  const at::Tensor kept = pixel_tensor(set.position);
  set.values = values.index_select(0, kept).to(device);
  set.noise_variance = variance.index_select(0, kept).to(device);
  return set;
}

}  // namespace supn
