#include "eval/condition_rows.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "supn/evaluation/depth_observations.hpp"
#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn {
namespace {

ImageScores accuracy_given(ConditionedGaussian& conditioned,
                           const GroundTruth& truth,
                           const DepthScale& scale,
                           const KnownPoints& known,
                           const EvaluationConfig& evaluation) {
  const DepthRange range{evaluation.min_depth, evaluation.max_depth};
  const at::Tensor mean = conditioned.mean()[0];
  const at::Tensor samples = conditioned.samples(known.seed, {0, evaluation.samples})[0];
  ImageScores scores;
  scores.mean =
      accuracy(scaled_depth(disparity_from_logit(mean, range), truth, scale), truth).front();
  scores.best = best_of(accuracy_of_disparity(disparity_from_logit(samples, range), truth, scale));
  scores.logit_std = marginal_std(samples).mean().item<double>();
  return scores;
}

}  // namespace

std::string known_row_name(const std::string& model, std::int64_t count) {
  return fmt::format("{}, {} points", model, count);
}

std::vector<std::pair<std::int64_t, std::vector<NamedScore>>> score_conditioned(
    const StructuredGaussian& gaussian,
    const at::Tensor& depth_m,
    const KnownPoints& known,
    const EvaluationConfig& evaluation) {
  const ThreadCount one_order_of_sums(1);
  const DepthMeasurements all = measurements_on_grid(depth_m, gaussian.size());
  const std::int64_t most = known.counts.back();
  if (all.count() <= most) return {};
  const DepthMeasurements ordered =
      selected(all, random_order(all.count(), known.seed).narrow(0, 0, most));
  const GroundTruth truth = ground_truth(
      without_measurements(depth_m, ordered.pixels, gaussian.size()), evaluation.protocol);
  if (truth.count() == 0) return {};
  const DepthRange range{evaluation.min_depth, evaluation.max_depth};
  const double scale = evaluation.scale == DepthScaleMode::kFixed
                           ? evaluation.fixed_scale
                           : median_scale(gaussian.mean()[0][0], ordered, range);
  if (!std::isfinite(scale) || scale <= 0.0) return {};              // of a mean that is not finite
  if (representable(ordered, scale, range).size(0) == 0) return {};  // of depths in other units
  const DepthNoise noise{.relative = known.relative_noise};
  std::vector<std::pair<std::int64_t, std::vector<NamedScore>>> rows;
  for (const std::int64_t count : known.counts) {
    const DepthMeasurements points = {ordered.pixels.narrow(0, 0, count),
                                      ordered.depth_m.narrow(0, 0, count)};
    const DepthMeasurements usable = selected(points, representable(points, scale, range));
    ConditionedGaussian conditioned(gaussian, depth_observations(usable, scale, noise, range));
    rows.emplace_back(count,
                      named_scores(accuracy_given(
                          conditioned, truth, {DepthScaleMode::kFixed, scale}, known, evaluation)));
  }
  return rows;
}

}  // namespace supn
