// What the scores of Gaussians and of ensembles share: depth against ground truth.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/evaluation/depth_scale.hpp"
#include "supn/evaluation/image_scores.hpp"

namespace supn {

DepthRange depth_range(const EvaluationConfig& config);

// Logits in the space that ranks pixels; depth is not scaled, as order does not hang on it.
at::Tensor in_space(const at::Tensor& logits, const EvaluationConfig& config);

// One image's depth with its candidates (samples or members) and the map that ranks its pixels.
struct DepthCandidates {
  at::Tensor mean_disparity;          // [1,h,w]
  at::Tensor logits;                  // [S,h,w]
  at::Tensor uncertainty;             // [h,w]
  at::Tensor exact_uncertainty = {};  // [h,w], or undefined
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
