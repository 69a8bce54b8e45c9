// A member's output becomes logits of disparity.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/ensemble/ensemble_config.hpp"

namespace supn {

struct ClampedLogits {
  at::Tensor logits;         // float32, shape of the input
  std::int64_t clamped = 0;  // values at or beyond the limits, infinite ones too
};

//   sigmoid   = (disparity − 1/max_depth) / (1/min_depth − 1/max_depth)
//   disparity = depth_scale / depth
//   logit     = log(sigmoid / (1 − sigmoid)), within ±log((1 − saturation)/saturation)
//
// maps: any shape and floating-point dtype, of the quantity that the configuration names.
// Conversion is in float64. NaN stays NaN: the caller knows whose it is. Throws ConfigError unless
// min_depth < max_depth.
ClampedLogits to_logits(const at::Tensor& maps, const EnsembleConfig& config);

}  // namespace supn
