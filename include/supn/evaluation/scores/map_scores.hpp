// Scores of one image's predicted maps, wherever they come from: depth or disparity, and what may
// come with it.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/scores/image_scores.hpp"

namespace supn {

struct PredictedMaps {
  at::Tensor disparity;    // [h,w], depth = scale / disparity as the configuration says
  at::Tensor uncertainty;  // [h,w] of its own size, only its order matters; or undefined
  at::Tensor samples;      // [S,h,w] of disparities, or undefined
};

// Accuracy of the map; "best" of the samples, where there are some; sparsification by the
// uncertainty, or else by the samples' standard deviation of disparity. Empty without ground truth.
ImageScores score_maps(const PredictedMaps& maps,
                       const std::optional<GroundTruth>& truth,
                       const EvaluationConfig& config);

}  // namespace supn
