#include "supn/evaluation/depth/depth_moments.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace supn {
namespace {

// Nodes from −8 to 8. The rule's error is of the order e^(a²/2 − 2πa/step), a = π/std the distance
// of the integrand's nearest pole: below 1e-14 for either.
struct Nodes {
  double step;
  int count;  // on either side
};
constexpr Nodes kFine{0.2, 40};
constexpr Nodes kCoarse{0.5, 16};
constexpr double kLargestCoarse = 1.0;  // standard deviation

using Elementwise = std::function<at::Tensor(const at::Tensor&)>;

// centre and std float64.
Moments moments_on(const Nodes& nodes,
                   const at::Tensor& centre,
                   const at::Tensor& std,
                   const Elementwise& quantity) {
  // Around the value at the mean, so that small variances keep their digits.
  const at::Tensor origin = quantity(centre);
  at::Tensor first = at::zeros_like(origin);
  at::Tensor second = at::zeros_like(origin);
  double total = 0.0;
  for (int i = -nodes.count; i <= nodes.count; ++i) {
    const double t = nodes.step * i;
    const double weight = std::exp(-0.5 * t * t);
    const at::Tensor deviation = quantity(centre + t * std).sub_(origin);
    first.add_(deviation, weight);
    second.addcmul_(deviation, deviation, weight);
    total += weight;
  }
  first.div_(total);
  second.div_(total);
  return {origin + first, (second - first.square()).clamp_min_(0.0)};
}

Moments moments_of(const at::Tensor& mean,
                   const at::Tensor& variance,
                   const Elementwise& quantity) {
  TORCH_CHECK(mean.sizes() == variance.sizes(),
              "depth moments: mean ",
              mean.sizes(),
              " and variance ",
              variance.sizes(),
              " differ in shape");
  const at::Tensor centre = mean.detach().to(at::kDouble);
  const at::Tensor std = variance.detach().to(at::kDouble).clamp_min(0.0).sqrt();
  const at::Tensor is_wide = std.le(kLargestCoarse).logical_not();
  if (!is_wide.any().item<bool>()) return moments_on(kCoarse, centre, std, quantity);
  Moments moments = moments_on(kCoarse, centre, std.masked_fill(is_wide, 0.0), quantity);
  const Moments wide =
      moments_on(kFine, centre.masked_select(is_wide), std.masked_select(is_wide), quantity);
  moments.mean.masked_scatter_(is_wide, wide.mean);
  moments.variance.masked_scatter_(is_wide, wide.variance);
  return moments;
}

struct PairOfLogits {
  std::array<double, 2> mean;
  double first_variance;
  double second_variance;
  double covariance;
};

// The first logit is mean + s·t, the second mean + s₂(ρ·t + √(1 − ρ²)·u), t and u on the nodes.
double depth_covariance(const PairOfLogits& pair, double scale, const DepthRange& range) {
  if (pair.first_variance <= 0.0 || pair.second_variance <= 0.0) return 0.0;
  const double first_std = std::sqrt(pair.first_variance);
  const double second_std = std::sqrt(pair.second_variance);
  const double rho = std::clamp(pair.covariance / (first_std * second_std), -1.0, 1.0);
  const at::Tensor nodes = at::arange(-kFine.count, kFine.count + 1, at::kDouble).mul_(kFine.step);
  const at::Tensor weights = nodes.square().mul_(-0.5).exp_();
  const auto deviation = [&](const at::Tensor& logit, double mean) {
    const at::Tensor at_mean = at::full({}, mean, at::kDouble);
    const auto depth = [&](const at::Tensor& x) {
      return depth_from_disparity(disparity_from_logit(x, range), scale);
    };
    return depth(logit).sub_(depth(at_mean));
  };
  const at::Tensor first = deviation(nodes.mul(first_std).add_(pair.mean[0]), pair.mean[0]);
  const at::Tensor steps =
      nodes.mul(rho).unsqueeze(1).add(nodes.mul(std::sqrt(1.0 - rho * rho)).unsqueeze(0));
  const at::Tensor second = deviation(steps.mul(second_std).add_(pair.mean[1]), pair.mean[1]);
  const at::Tensor each = weights / weights.sum();
  const at::Tensor given_first = second.matmul(each);  // E of the second for each node of the first
  const double product = each.mul(first).dot(given_first).item<double>();
  return product - each.dot(first).item<double>() * each.dot(given_first).item<double>();
}

}  // namespace

Moments disparity_moments(const at::Tensor& mean,
                          const at::Tensor& variance,
                          const DepthRange& range) {
  return moments_of(
      mean, variance, [&](const at::Tensor& logit) { return disparity_from_logit(logit, range); });
}

Moments depth_moments(const at::Tensor& mean,
                      const at::Tensor& variance,
                      double scale,
                      const DepthRange& range) {
  return moments_of(mean, variance, [&](const at::Tensor& logit) {
    return depth_from_disparity(disparity_from_logit(logit, range), scale);
  });
}

JointMoments joint_depth_moments(const at::Tensor& mean,
                                 const at::Tensor& covariance,
                                 double scale,
                                 const DepthRange& range) {
  TORCH_CHECK(mean.dim() == 1 && covariance.dim() == 2 && covariance.size(0) == mean.size(0) &&
                  covariance.size(1) == mean.size(0),
              "joint_depth_moments: expected mean [M] and covariance [M,M], got ",
              mean.sizes(),
              " and ",
              covariance.sizes());
  const at::Tensor logits = mean.detach().to(at::kDouble);
  const at::Tensor variance = covariance.detach().to(at::kDouble).contiguous();
  const Moments own = depth_moments(logits, variance.diagonal(), scale, range);
  JointMoments joint{own.mean, own.variance.diag()};
  const auto centre = logits.accessor<double, 1>();
  const auto v = variance.accessor<double, 2>();
  auto result = joint.covariance.accessor<double, 2>();
  for (std::int64_t i = 0; i < logits.size(0); ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const PairOfLogits pair{{centre[i], centre[j]}, v[i][i], v[j][j], v[i][j]};
      result[i][j] = result[j][i] = depth_covariance(pair, scale, range);
    }
  }
  return joint;
}

}  // namespace supn
