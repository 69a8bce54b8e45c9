#include "supn/evaluation/depth/depth_quantiles.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <c10/util/Exception.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "supn/evaluation/calibration/coverage.hpp"

namespace supn {
namespace {

constexpr double kStep = 0.2;
constexpr int kNodes = 30;  // on either side
constexpr int kHalvings = 28;
constexpr double kFarthest = 1e8;  // stands for infinity
constexpr double kFlat = 1e-6;

at::Tensor depth_of(const at::Tensor& logits, double scale, const DepthRange& range) {
  return depth_from_disparity(disparity_from_logit(logits, range), scale);
}

at::Tensor normal_probability(const at::Tensor& z) {
  return (z / std::numbers::sqrt2).erf().add_(1.0).mul_(0.5);
}

// Returns ∫ Φ from −∞ to x.
at::Tensor integrated_probability(const at::Tensor& x) {
  constexpr double kDensity = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;
  return x * normal_probability(x) + (x.square() * -0.5).exp() * kDensity;
}

// Distribution function of the difference: cells of the first logit, in each of which Φ's argument
// is a straight line. Pixels that move together make it steep, which nodes alone would miss.
class Difference {
 public:
  Difference(const LogitPairs& pairs, double scale, const DepthRange& range)
      : scale_(scale), range_(range) {
    const at::Tensor z =
        at::arange(-kNodes, kNodes + 1, at::TensorOptions().dtype(at::kDouble)) * kStep;
    weights_ = normal_probability(z).diff();
    const at::Tensor first_std = pairs.first_variance.clamp_min(0.0).sqrt();
    const at::Tensor slope =
        at::where(first_std.gt(0.0), pairs.covariance / first_std, at::full_like(first_std, 0.0));
    first_depth_ =
        depth_of(pairs.first_mean.unsqueeze(1) + first_std.unsqueeze(1) * z, scale, range);
    second_mean_ = pairs.second_mean.unsqueeze(1) + slope.unsqueeze(1) * z;
    // This is left of the second once the first is known; rounding must not make it negative.
    second_std_ = (pairs.second_variance - slope.square())
                      .maximum(pairs.second_variance * 1e-12)
                      .clamp_min(std::numeric_limits<double>::min())
                      .sqrt()
                      .unsqueeze(1);
  }

  // Turns t [K] into P(D₁ − D₂ ≤ t) [K].
  at::Tensor probability(const at::Tensor& t) const {
    const at::Tensor least = first_depth_ - t.unsqueeze(1);  // of D₂
    const at::Tensor sigmoid = sigmoid_from_disparity(
        disparity_from_depth(least.clamp_min(scale_ * range_.min_depth), scale_), range_);
    const at::Tensor logit = logit_from_sigmoid(sigmoid.clamp(0.0, 1.0));
    const at::Tensor argument = ((logit - second_mean_) / second_std_).clamp(-kFarthest, kFarthest);
    const at::Tensor rise = argument.diff();
    const at::Tensor mean = at::where(rise.abs().gt(kFlat),
                                      integrated_probability(argument).diff() / rise,
                                      normal_probability(argument.narrow(1, 1, rise.size(1))));
    return (mean * weights_).sum(1);
  }

 private:
  double scale_;
  DepthRange range_;
  at::Tensor weights_;      // of the cells, [Z − 1]
  at::Tensor first_depth_;  // [K,Z]
  at::Tensor second_mean_;  // [K,Z]
  at::Tensor second_std_;   // [K,1]
};

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

at::Tensor depth_difference_quantiles(const LogitPairs& pairs,
                                      std::span<const double> probabilities,
                                      double scale,
                                      const DepthRange& range) {
  return depth_difference_quantiles(pairs, normal_deviates(probabilities), scale, range);
}

at::Tensor depth_difference_quantiles(const LogitPairs& pairs,
                                      const Deviates& deviates,
                                      double scale,
                                      const DepthRange& range) {
  const Difference difference(pairs, scale, range);
  // Depths lie between 0 and scale·max_depth, hence differences between these.
  const double widest = scale * range.max_depth;
  std::vector<at::Tensor> quantiles;
  for (const at::Tensor& wanted : normal_probability(deviates.values).unbind(0)) {
    at::Tensor low = at::full_like(pairs.first_mean, -widest, at::kDouble);
    at::Tensor high = at::full_like(pairs.first_mean, widest, at::kDouble);
    for (int i = 0; i < kHalvings; ++i) {
      const at::Tensor middle = (low + high) * 0.5;
      const at::Tensor is_below = difference.probability(middle).lt(wanted);
      low = at::where(is_below, middle, low);
      high = at::where(is_below, high, middle);
    }
    quantiles.push_back((low + high) * 0.5);
  }
  return at::stack(quantiles);
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
