#include "evaluation/depth/depth_range.hpp"

#include "supn/errors.hpp"
#include "supn/rounded.hpp"

namespace supn {

DepthRange depth_range(const EvaluationConfig& config) {
  if (config.min_depth < config.max_depth) return {config.min_depth, config.max_depth};
  throw ConfigError("evaluation.min_depth: expected less than evaluation.max_depth (" +
                    rounded(config.max_depth, 6) + "), got " + rounded(config.min_depth, 6));
}

}  // namespace supn
