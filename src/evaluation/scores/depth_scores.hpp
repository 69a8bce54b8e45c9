// The scores of Gaussians and of ensembles share these, which judge depth against ground truth.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/scores/image_scores.hpp"

namespace supn {

// Logits in a space that ranks pixels; depth is not scaled, as order does not hang on it.
at::Tensor in_space(const at::Tensor& logits, UncertaintySpace space, const DepthRange& range);

// Standard deviations [h,w] in each space.
struct SpaceMaps {
  at::Tensor sigmoid;
  at::Tensor logit;
  at::Tensor depth;

  const at::Tensor& of(UncertaintySpace space) const {
    return space == UncertaintySpace::kSigmoid ? sigmoid
           : space == UncertaintySpace::kLogit ? logit
                                               : depth;
  }
};

// Exact marginals rank for themselves as well, beside the samples.
enum class SpreadOf { kMembers, kExactMarginals };

// One image's depth with its candidates (samples or members) and the map that ranks its pixels.
struct DepthCandidates {
  at::Tensor mean_disparity;  // [1,h,w]
  at::Tensor logits;          // [S,h,w]
  at::Tensor uncertainty;     // [h,w]
  SpaceMaps by_space;
  SpreadOf by_space_of = SpreadOf::kMembers;
};

// scale_ratio of the configuration's scale, where that is fixed. disparity [1,h,w].
std::optional<double> ratio_to_fixed_scale(const at::Tensor& disparity,
                                           const GroundTruth& truth,
                                           const EvaluationConfig& config);

// Fills in accuracy, sparsification and its curves.
void score_depth(const DepthCandidates& candidates,
                 const GroundTruth& truth,
                 const EvaluationConfig& config,
                 ImageScores& scores);

}  // namespace supn
