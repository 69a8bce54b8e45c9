#include "evaluation/scores/depth_scores.hpp"

#include <ATen/TensorOperators.h>

#include <array>
#include <string>

#include "evaluation/depth/depth_range.hpp"
#include "supn/evaluation/scores/scale_ratio.hpp"

namespace supn {
namespace {

constexpr std::array<std::pair<const char*, SparsifiedMetric>, 3> kMetrics{
    {{"abs_rel", SparsifiedMetric::kAbsRel},
     {"rmse", SparsifiedMetric::kRmse},
     {"a1", SparsifiedMetric::kA1}}};

void add_curves(const std::string& name,
                const GroundTruth& truth,
                const at::Tensor& predicted,
                const at::Tensor& uncertainty,
                ImageScores& scores) {
  if (!uncertainty.isfinite().all().item<bool>() || !predicted.isfinite().all().item<bool>()) {
    return;
  }
  for (const auto& [key, metric] : kMetrics) {
    const auto curve = sparsification_curve(metric, truth.depth, predicted, uncertainty);
    scores.curves.push_back(
        {"sparsification_" + std::string(key) + name, {curve.begin(), curve.end()}});
  }
}

void add_oracle_curves(const GroundTruth& truth, const at::Tensor& predicted, ImageScores& scores) {
  if (!predicted.isfinite().all().item<bool>()) return;
  for (const auto& [key, metric] : kMetrics) {
    const auto curve = sparsification_curve(
        metric, truth.depth, predicted, oracle_ranking(metric, truth.depth, predicted));
    scores.curves.push_back(
        {"sparsification_" + std::string(key) + "_oracle", {curve.begin(), curve.end()}});
  }
}

}  // namespace

at::Tensor in_space(const at::Tensor& logits, UncertaintySpace space, const DepthRange& range) {
  switch (space) {
    case UncertaintySpace::kSigmoid:
      return sigmoid_from_logit(logits);
    case UncertaintySpace::kLogit:
      return logits;
    case UncertaintySpace::kDepth:
      return depth_from_disparity(disparity_from_logit(logits, range), 1.0);
  }
  TORCH_CHECK(false, "in_space: unknown uncertainty space");
}

std::optional<double> ratio_to_fixed_scale(const at::Tensor& disparity,
                                           const GroundTruth& truth,
                                           const EvaluationConfig& config) {
  if (config.scale != DepthScaleMode::kFixed) return std::nullopt;
  return scale_ratio(disparity, truth, config.fixed_scale);
}

void score_depth(const DepthCandidates& candidates,
                 const GroundTruth& truth,
                 const EvaluationConfig& config,
                 ImageScores& scores) {
  const DepthScale scale{config.scale, config.fixed_scale};
  const at::Tensor mean_depth = scaled_depth(candidates.mean_disparity, truth, scale);
  scores.mean = accuracy(mean_depth, truth).front();
  scores.scale_ratio = ratio_to_fixed_scale(candidates.mean_disparity, truth, config);
  scores.best = best_of(accuracy_of_disparity(
      disparity_from_logit(candidates.logits, depth_range(config)), truth, scale));
  const at::Tensor predicted = mean_depth.select(0, 0);
  const auto at_truth = [&](const at::Tensor& map) {
    return at_ground_truth(map.unsqueeze(0), truth).select(0, 0);
  };
  const at::Tensor uncertainty = at_truth(candidates.uncertainty);
  scores.sparsification = sparsify(truth.depth, predicted, uncertainty);
  add_curves("", truth, predicted, uncertainty, scores);
  add_oracle_curves(truth, predicted, scores);
  const auto ranked_by = [&](const at::Tensor& map) {
    return sparsify(truth.depth, predicted, at_truth(map));
  };
  scores.spaces = {.sigmoid = ranked_by(candidates.by_space.sigmoid),
                   .logit = ranked_by(candidates.by_space.logit),
                   .depth = ranked_by(candidates.by_space.depth),
                   .distance = sparsify(truth.depth, predicted, predicted)};
  if (candidates.by_space_of != SpreadOf::kExactMarginals) return;
  const at::Tensor exact = at_truth(candidates.by_space.of(config.uncertainty_space));
  scores.exact_sparsification = sparsify(truth.depth, predicted, exact);
  add_curves("_exact", truth, predicted, exact, scores);
}

}  // namespace supn
