#include "supn/evaluation/depth/depth_scale.hpp"

namespace supn {
namespace {

struct DisparityLine {
  double offset;
  double slope;
};

DisparityLine disparity_line(const DepthRange& range) {
  TORCH_CHECK(range.min_depth > 0.0 && range.max_depth > range.min_depth,
              "depth_scale: expected 0 < min_depth < max_depth, got ",
              range.min_depth,
              " and ",
              range.max_depth);
  return {1.0 / range.max_depth, 1.0 / range.min_depth - 1.0 / range.max_depth};
}

}  // namespace

at::Tensor sigmoid_from_logit(const at::Tensor& logit) { return logit.to(at::kDouble).sigmoid(); }

at::Tensor logit_from_sigmoid(const at::Tensor& sigmoid) { return sigmoid.to(at::kDouble).logit(); }

at::Tensor disparity_from_sigmoid(const at::Tensor& sigmoid, const DepthRange& range) {
  const DisparityLine line = disparity_line(range);
  return sigmoid.to(at::kDouble).mul(line.slope).add_(line.offset);
}

at::Tensor sigmoid_from_disparity(const at::Tensor& disparity, const DepthRange& range) {
  const DisparityLine line = disparity_line(range);
  return disparity.to(at::kDouble).sub(line.offset).div_(line.slope);
}

at::Tensor depth_from_disparity(const at::Tensor& disparity, double scale) {
  return disparity.to(at::kDouble).reciprocal().mul_(scale);
}

at::Tensor disparity_from_depth(const at::Tensor& depth, double scale) {
  return depth_from_disparity(depth, scale);
}

at::Tensor disparity_from_logit(const at::Tensor& logit, const DepthRange& range) {
  return disparity_from_sigmoid(sigmoid_from_logit(logit), range);
}

}  // namespace supn
