// A scale that is only roughly known: depth = scale·e^s/disparity, s ~ N(0, std²). A depth then says
// of the logit of its pixel y = d − g·s, to first order in s, with
//
//   g = ∂logit/∂log disparity = disparity/(1/min − 1/max)/(σ(1 − σ))
//
// at the mean: some 1.1 beyond 10 m at scale 5.4, and 1.37 at 2 m, where s = 0.26 is off by 1.4 % of
// the depth. Given depths, y is what scale/disparity makes depths of, so that nothing else changes.
// Where the maps end g grows without bound; it is 2 at most, as at a disparity of 0.02 (270 m at scale
// 5.4) and of 5 (1.1 m).
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn {

// mean_logit [1,1,H,W]; std of s ≥ 0, 0.1 for a scale within 10 %.
CommonUnknown unknown_scale(const at::Tensor& mean_logit, double std, const DepthRange& range);

}  // namespace supn
