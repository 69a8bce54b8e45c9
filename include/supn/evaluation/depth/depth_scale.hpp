// These functions turn logits into depth and back, in float64 whatever the input:
//
//   σ = 1/(1 + e^−d)      disparity = 1/max_depth + (1/min_depth − 1/max_depth)·σ
//   depth = scale / disparity
//
// With 0.1 and 100: disparity = 0.01 + 9.99σ. A depth is in metres if and only if its scale is
// known. Elementwise, any shape. See docs/method.md "Depth and logits".
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

struct DepthRange {
  double min_depth = 0.1;
  double max_depth = 100.0;
};

at::Tensor sigmoid_from_logit(const at::Tensor& logit);
// Takes values in (0, 1); 0 and 1 give infinities.
at::Tensor logit_from_sigmoid(const at::Tensor& sigmoid);

// Throw c10::Error unless 0 < min_depth < max_depth.
at::Tensor disparity_from_sigmoid(const at::Tensor& sigmoid, const DepthRange& range);
at::Tensor sigmoid_from_disparity(const at::Tensor& disparity, const DepthRange& range);

at::Tensor depth_from_disparity(const at::Tensor& disparity, double scale);
at::Tensor disparity_from_depth(const at::Tensor& depth, double scale);

at::Tensor disparity_from_logit(const at::Tensor& logit, const DepthRange& range);

}  // namespace supn
