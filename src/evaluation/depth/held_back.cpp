#include "supn/evaluation/depth/held_back.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "supn/evaluation/calibration/coverage.hpp"
#include "supn/evaluation/depth/depth_quantiles.hpp"

namespace supn {
namespace {

at::Tensor pixels_of(const GroundTruth& truth, const ImageSize& grid) {
  at::Tensor pixels = at::empty({truth.count()}, at::kLong);
  const std::int64_t* const index = truth.index.const_data_ptr<std::int64_t>();
  std::int64_t* const out = pixels.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < truth.count(); ++i) {
    out[i] = grid_pixel(index[i] / truth.size.width, index[i] % truth.size.width, truth.size, grid);
  }
  return pixels;
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Returns the points of the ground truth that some logit expresses, on the pixels of the maps.
DepthMeasurements points_of(const GroundTruth& truth,
                            const at::Tensor& map,
                            const MeasurementModel& model) {
  const DepthMeasurements points{pixels_of(truth, {map.size(0), map.size(1)}), truth.depth};
  return selected(points, representable(points, model.scale, model.range));
}

at::Tensor at_points(const at::Tensor& map, const DepthMeasurements& points) {
  return map.to(at::kDouble).reshape({-1}).index_select(0, points.pixels);
}

// quantiles: of depth, [19,K].
void score_deviations(const at::Tensor& deviations,
                      const at::Tensor& quantiles,
                      const DepthMeasurements& points,
                      HeldBackScores& scores) {
  scores.coverage_50 = coverage(deviations, 0.5);
  scores.coverage_90 = coverage(deviations, 0.9);
  scores.deviation_rms = std::sqrt(deviations.square().mean().item<double>());
  scores.depth = interval_scores(quantiles, points.depth_m, points.depth_m);
}

HeldBackScores accuracy_alone(const at::Tensor& disparity,
                              const GroundTruth& truth,
                              const MeasurementModel& model) {
  const DepthScale scale{DepthScaleMode::kFixed, model.scale};
  return {.points = truth.count(),
          .accuracy = accuracy_of_disparity(disparity.unsqueeze(0), truth, scale).front(),
          .coverage_50 = kNone,
          .coverage_90 = kNone,
          .deviation_rms = kNone,
          .log_density = kNone,
          .depth = {kNone, kNone, kNone, kNone, kNone}};
}

}  // namespace

HeldBackScores score_held_back(const LogitMarginals& marginals,
                               const GroundTruth& truth,
                               const MeasurementModel& model) {
  HeldBackScores scores =
      accuracy_alone(disparity_from_logit(marginals.mean, model.range), truth, model);
  if (!marginals.variance.defined()) return scores;
  const DepthMeasurements points = points_of(truth, marginals.mean, model);
  const Observations measured = depth_observations(points, model.scale, model.noise, model.range);
  const at::Tensor mean = at_points(marginals.mean, points);
  const at::Tensor variance = at_points(marginals.variance, points).add(measured.noise_variance);
  const at::Tensor deviations = measured.values.sub(mean).div(variance.sqrt());
  score_deviations(
      deviations,
      depth_quantiles(mean, variance, kQuantileProbabilities, model.scale, model.range),
      points,
      scores);
  scores.log_density = -0.5 * (deviations.square() + variance.log()).mean().item<double>() -
                       0.5 * std::log(2.0 * std::numbers::pi);
  return scores;
}

HeldBackScores score_rival(const LogDepthMarginals& marginals,
                           const GroundTruth& truth,
                           const MeasurementModel& model) {
  HeldBackScores scores =
      accuracy_alone(disparity_from_depth(marginals.mean.exp(), model.scale), truth, model);
  if (!marginals.variance) return scores;
  const DepthMeasurements points = points_of(truth, marginals.mean, model);
  const at::Tensor mean = at_points(marginals.mean, points);
  const at::Tensor std = marginals.variance(points.pixels).sqrt();
  std::vector<at::Tensor> quantiles;
  for (const double probability : kQuantileProbabilities) {
    quantiles.push_back((mean + std * normal_quantile(probability)).exp());
  }
  score_deviations((points.depth_m.log() - mean) / std, at::stack(quantiles), points, scores);
  return scores;
}

}  // namespace supn
