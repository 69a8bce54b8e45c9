// The configuration says between which depths the networks' sigmoids lie.
#pragma once

#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/evaluation_config.hpp"

namespace supn {

// Throws ConfigError unless min_depth < max_depth.
DepthRange depth_range(const EvaluationConfig& config);

}  // namespace supn
