#include "supn/evaluation/scores/map_scores.hpp"

#include <ATen/TensorOperators.h>

#include "evaluation/scores/depth_scores.hpp"
#include "supn/evaluation/scores/spread.hpp"

namespace supn {

ImageScores score_maps(const PredictedMaps& maps,
                       const std::optional<GroundTruth>& truth,
                       const EvaluationConfig& config) {
  ImageScores scores;
  if (!truth) return scores;
  const DepthScale scale{config.scale, config.fixed_scale};
  const at::Tensor depth = scaled_depth(maps.disparity.unsqueeze(0), *truth, scale);
  scores.mean = accuracy(depth, *truth).front();
  scores.scale_ratio = ratio_to_fixed_scale(maps.disparity.unsqueeze(0), *truth, config);
  at::Tensor uncertainty = maps.uncertainty;
  if (maps.samples.defined()) {
    scores.best = best_of(accuracy_of_disparity(maps.samples, *truth, scale));
    if (!uncertainty.defined() && maps.samples.size(0) > 1)
      uncertainty = marginal_std(maps.samples);
  }
  if (uncertainty.defined()) {
    const at::Tensor ranking = at_ground_truth(uncertainty.unsqueeze(0), *truth);
    scores.sparsification = sparsify(truth->depth, depth.select(0, 0), ranking.select(0, 0));
  }
  return scores;
}

}  // namespace supn
