#include "supn/evaluation/held_back.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "supn/evaluation/coverage.hpp"

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

void score_intervals(HeldBackScores& scores,
                     const LogitMarginals& marginals,
                     const GroundTruth& truth,
                     const MeasurementModel& model) {
  const ImageSize grid{marginals.mean.size(0), marginals.mean.size(1)};
  DepthMeasurements points{pixels_of(truth, grid), truth.depth};
  points = selected(points, representable(points, model.scale, model.range));
  const Observations measured = depth_observations(points, model.scale, model.noise, model.range);
  const auto at_points = [&](const at::Tensor& map) {
    return map.to(at::kDouble).reshape({-1}).index_select(0, points.pixels);
  };
  const at::Tensor variance = at_points(marginals.variance).add(measured.noise_variance);
  const at::Tensor deviations = measured.values.sub(at_points(marginals.mean)).div(variance.sqrt());
  scores.coverage_50 = coverage(deviations, 0.5);
  scores.coverage_90 = coverage(deviations, 0.9);
  scores.deviation_rms = std::sqrt(deviations.square().mean().item<double>());
  scores.log_density = -0.5 * (deviations.square() + variance.log()).mean().item<double>() -
                       0.5 * std::log(2.0 * std::numbers::pi);
}

}  // namespace

HeldBackScores score_held_back(const LogitMarginals& marginals,
                               const GroundTruth& truth,
                               const MeasurementModel& model) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  HeldBackScores scores{.points = truth.count(),
                        .accuracy = {},
                        .coverage_50 = kNone,
                        .coverage_90 = kNone,
                        .deviation_rms = kNone,
                        .log_density = kNone};
  const at::Tensor disparity = disparity_from_logit(marginals.mean, model.range).unsqueeze(0);
  scores.accuracy =
      accuracy_of_disparity(disparity, truth, {DepthScaleMode::kFixed, model.scale}).front();
  if (marginals.variance.defined()) score_intervals(scores, marginals, truth, model);
  return scores;
}

}  // namespace supn
