#include "supn/ensemble/member_logits.hpp"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "supn/errors.hpp"

namespace supn {
namespace {

at::Tensor sigmoid_from_disparity(const at::Tensor& disparity, const EnsembleConfig& config) {
  if (!(config.min_depth < config.max_depth)) {
    throw ConfigError("ensemble.min_depth: expected less than ensemble.max_depth (" +
                      std::to_string(config.max_depth) + "), got " +
                      std::to_string(config.min_depth));
  }
  const double lowest = 1.0 / config.max_depth;
  const double span = 1.0 / config.min_depth - lowest;
  return (disparity - lowest) / span;
}

at::Tensor logit_from_sigmoid(const at::Tensor& sigmoid) {
  // Outside [0,1] the limit is as good as any: it is clamped and counted below.
  const at::Tensor inside = sigmoid.clamp(0.0, 1.0);
  return inside.log() - (-inside).log1p();
}

at::Tensor unbounded_logits(const at::Tensor& maps, const EnsembleConfig& config) {
  switch (config.quantity) {
    case MemberQuantity::kLogit:
      return maps;
    case MemberQuantity::kSigmoid:
      return logit_from_sigmoid(maps);
    case MemberQuantity::kDisparity:
      return logit_from_sigmoid(sigmoid_from_disparity(maps, config));
    case MemberQuantity::kDepth:
      break;
  }
  const at::Tensor disparity = config.depth_scale * maps.reciprocal();
  return logit_from_sigmoid(sigmoid_from_disparity(disparity, config));
}

}  // namespace

ClampedLogits to_logits(const at::Tensor& maps, const EnsembleConfig& config) {
  const double limit = std::log((1.0 - config.saturation) / config.saturation);
  const at::Tensor logits = unbounded_logits(maps.to(at::kDouble), config);
  const std::int64_t clamped = logits.abs().ge(limit).sum().item<std::int64_t>();
  return {logits.clamp(-limit, limit).to(at::kFloat), clamped};
}

}  // namespace supn
