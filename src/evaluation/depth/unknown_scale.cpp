#include "supn/evaluation/depth/unknown_scale.hpp"

#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>

namespace supn {
namespace {

constexpr double kSteepest = 2.0;

}  // namespace

CommonUnknown unknown_scale(const at::Tensor& mean_logit, double std, const DepthRange& range) {
  TORCH_CHECK(std >= 0.0, "unknown_scale: expected a std that is not negative, got ", std);
  const at::Tensor disparity = disparity_from_logit(mean_logit.detach(), range);
  const at::Tensor sigmoid = sigmoid_from_disparity(disparity, range);
  const double slope = 1.0 / range.min_depth - 1.0 / range.max_depth;
  const at::Tensor g = disparity / slope / (sigmoid * (1.0 - sigmoid));
  return {g.clamp_max(kSteepest).neg(), std};
}

}  // namespace supn
