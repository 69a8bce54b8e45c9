#include "supn/evaluation/depth/depth_quantiles.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

#include <array>
#include <vector>

#include "supn/evaluation/calibration/coverage.hpp"

namespace supn {
namespace {

at::Tensor depth_of(const at::Tensor& logits, double scale, const DepthRange& range) {
  return depth_from_disparity(disparity_from_logit(logits, range), scale);
}

constexpr std::array<double, 3> kIntervalProbabilities{0.05, 0.5, 0.95};

DepthInterval interval_of(const at::Tensor& quantiles) {
  return {quantiles[0][0].item<double>(),
          quantiles[1][0].item<double>(),
          quantiles[2][0].item<double>()};
}

}  // namespace

double normal_quantile(double probability) {
  TORCH_CHECK(probability > 0.0 && probability < 1.0,
              "normal_quantile: expected a probability in (0, 1), got ",
              probability);
  if (probability == 0.5) return 0.0;
  return probability > 0.5 ? central_interval(2.0 * probability - 1.0)
                           : -central_interval(1.0 - 2.0 * probability);
}

Deviates normal_deviates(std::span<const double> probabilities) {
  std::vector<double> z;
  for (const double probability : probabilities) z.push_back(normal_quantile(probability));
  return {at::tensor(z, at::kDouble).unsqueeze(1)};
}

at::Tensor depth_quantiles(const at::Tensor& mean,
                           const at::Tensor& variance,
                           std::span<const double> probabilities,
                           double scale,
                           const DepthRange& range) {
  return depth_quantiles(mean, variance, normal_deviates(probabilities), scale, range);
}

at::Tensor depth_quantiles(const at::Tensor& mean,
                           const at::Tensor& variance,
                           const Deviates& deviates,
                           double scale,
                           const DepthRange& range) {
  const at::Tensor centre = mean.to(at::kDouble);
  const at::Tensor std = variance.to(at::kDouble).clamp_min(0.0).sqrt();
  return depth_of(centre - std * deviates.values, scale, range);
}

DepthInterval depth_interval(double mean, double std, double scale, const DepthRange& range) {
  const at::Tensor centre = at::full({1}, mean, at::kDouble);
  const at::Tensor variance = at::full({1}, std * std, at::kDouble);
  return interval_of(depth_quantiles(centre, variance, kIntervalProbabilities, scale, range));
}

DepthInterval depth_difference_interval(const LogitPairs& pair,
                                        double scale,
                                        const DepthRange& range) {
  TORCH_CHECK(pair.first_mean.numel() == 1,
              "depth_difference_interval: expected one pair, got ",
              pair.first_mean.numel());
  return interval_of(depth_difference_quantiles(pair, kIntervalProbabilities, scale, range));
}

}  // namespace supn
