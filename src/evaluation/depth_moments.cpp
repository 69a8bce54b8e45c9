#include "supn/evaluation/depth_moments.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <functional>

namespace supn {
namespace {

constexpr double kStep = 0.2;
constexpr int kNodes = 40;  // on either side

Moments moments_of(const at::Tensor& mean,
                   const at::Tensor& variance,
                   const std::function<at::Tensor(const at::Tensor&)>& quantity) {
  TORCH_CHECK(mean.sizes() == variance.sizes(),
              "depth moments: mean ",
              mean.sizes(),
              " and variance ",
              variance.sizes(),
              " differ in shape");
  const at::Tensor centre = mean.detach().to(at::kDouble);
  const at::Tensor std = variance.detach().to(at::kDouble).clamp_min(0.0).sqrt();
  // Around the value at the mean, so that small variances keep their digits.
  const at::Tensor origin = quantity(centre);
  at::Tensor first = at::zeros_like(origin);
  at::Tensor second = at::zeros_like(origin);
  double total = 0.0;
  for (int i = -kNodes; i <= kNodes; ++i) {
    const double t = kStep * i;
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

}  // namespace supn
