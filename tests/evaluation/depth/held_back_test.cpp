#include "supn/evaluation/depth/held_back.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

const DepthRange kLogitRange;
const MeasurementModel kModel{.scale = 5.4};

// Every pixel has the logit −2; measurements lie at given deviations from it.
GroundTruth truth_at(const std::vector<double>& logits) {
  const auto count = static_cast<std::int64_t>(logits.size());
  const at::Tensor depth =
      depth_from_disparity(disparity_from_logit(tensor_of(logits), kLogitRange), kModel.scale);
  return ground_truth(depth.view({1, count}), AccuracyProtocol::kEigenBenchmark);
}

LogitMarginals constant_marginals(std::int64_t width, double variance) {
  const at::Tensor mean = at::full({1, width}, -2.0, at::kDouble);
  return {mean, at::full({1, width}, variance, at::kDouble)};
}

TEST(HeldBack, CountsIntervalsInLogits) {
  const GroundTruth truth = truth_at({-2.0 + 0.3, -2.0 - 0.8, -2.0 + 2.0, -2.0});

  const HeldBackScores scores = score_held_back(constant_marginals(4, 0.25), truth, kModel);

  EXPECT_EQ(scores.points, 4);
  EXPECT_DOUBLE_EQ(scores.coverage_50, 0.5);   // 0.6 and 0 of 0.674 std
  EXPECT_DOUBLE_EQ(scores.coverage_90, 0.75);  // 1.6 as well
  const double squares = (0.36 + 2.56 + 16.0 + 0.0) / 4.0;
  EXPECT_NEAR(scores.deviation_rms, std::sqrt(squares), 1e-9);
  EXPECT_NEAR(scores.log_density,
              -0.5 * squares - std::log(0.5) - 0.5 * std::log(2.0 * std::numbers::pi),
              1e-9);
}

TEST(HeldBack, AddsTheNoiseOfTheMeasurement) {
  const GroundTruth truth = truth_at({-1.7});
  MeasurementModel model = kModel;
  model.noise.relative = 0.2;
  const double noise =
      logit_noise_variance(truth.depth, model.scale, model.noise, kLogitRange)[0].item<double>();

  const HeldBackScores scores = score_held_back(constant_marginals(1, 0.01), truth, model);

  EXPECT_NEAR(scores.deviation_rms, 0.3 / std::sqrt(0.01 + noise), 1e-9);
}

TEST(HeldBack, AccuracyIsThatOfTheMean) {
  const GroundTruth truth = truth_at({-2.0, -1.0});
  const double at_mean =
      5.4 / disparity_from_logit(tensor_of({-2.0}), kLogitRange)[0].item<double>();
  const double other = 5.4 / disparity_from_logit(tensor_of({-1.0}), kLogitRange)[0].item<double>();

  const HeldBackScores scores = score_held_back(constant_marginals(2, 1.0), truth, kModel);

  EXPECT_NEAR(scores.accuracy.abs_rel, std::abs(at_mean - other) / other / 2.0, 1e-9);
}

TEST(HeldBack, HasNoIntervalsWithoutAVariance) {
  const HeldBackScores scores =
      score_held_back({at::full({1, 1}, -2.0, at::kDouble)}, truth_at({-2.0}), kModel);
  EXPECT_NEAR(scores.accuracy.abs_rel, 0.0, 1e-12);
  EXPECT_TRUE(std::isnan(scores.coverage_50));
  EXPECT_TRUE(std::isnan(scores.log_density));
}

}  // namespace
}  // namespace supn
