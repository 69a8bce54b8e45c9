#include "supn/evaluation/depth/unknown_scale.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/scores/fixture.hpp"
#include "gaussian/dense_oracle.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

constexpr double kAssumedScale = 5.4;
const DepthRange kWhole;

at::Tensor column_at(const at::Tensor& depth_m) {
  const at::Tensor logit = logit_from_depth(depth_m, kAssumedScale, kWhole).view({1, 1, 1, -1});
  return unknown_scale(logit, 0.1, kWhole).column.view({-1});
}

TEST(UnknownScale, IsTheSlopeOfTheLogitInTheLogOfTheScale) {
  const at::Tensor metres = tensor_of({2.0, 14.0, 60.0});
  const double step = 1e-5;
  const at::Tensor slope =
      logit_from_depth(metres, kAssumedScale * std::exp(step), kWhole)
          .sub(logit_from_depth(metres, kAssumedScale * std::exp(-step), kWhole))
          .div(2.0 * step);
  EXPECT_TRUE(column_at(metres).allclose(-slope, 1e-7)) << column_at(metres);
}

TEST(UnknownScale, IsBoundedWhereTheMapsEnd) {
  const at::Tensor ends = column_at(tensor_of({0.55, 535.0}));
  EXPECT_EQ(ends[0].item<double>(), -2.0);
  EXPECT_EQ(ends[1].item<double>(), -2.0);
  EXPECT_THROW(unknown_scale(ends.view({1, 1, 1, 2}), -0.1, kWhole), c10::Error);
}

// All depths are 1.3 times as large as the scale makes them.
TEST(UnknownScale, MendsAWrongOne) {
  const StructuredGaussian noise = test::random_gaussian(2, {1, 6, 8});
  const StructuredGaussian gaussian{at::full({1, 1, 6, 8}, -2.5, at::kDouble),
                                    noise.log_diagonal().add(4.0),
                                    noise.off_diagonal().mul(std::exp(4.0)),
                                    noise.neighbourhood()};
  const at::Tensor depth = depth_from_disparity(
      disparity_from_logit(gaussian.mean().view({-1}), kWhole), 1.3 * kAssumedScale);
  const at::Tensor pixels = test::indices({3, 17, 30, 44});
  const DepthMeasurements known{pixels, depth.index_select(0, pixels)};
  const Observations observed =
      depth_observations(known, kAssumedScale, {.relative = 0.01}, kWhole);
  ConditionedGaussian ours(
      gaussian, observed, {.common = unknown_scale(gaussian.mean(), 0.5, kWhole)});
  EXPECT_NEAR(ours.common().mean, std::log(1.3), 0.02);
  const at::Tensor mended =
      depth_from_disparity(disparity_from_logit(ours.mean().view({-1}), kWhole), kAssumedScale);
  EXPECT_LT(mended.div(depth).sub(1.0).abs().max().item<double>(), 0.03);
  ConditionedGaussian plain(gaussian, observed);
  const at::Tensor off =
      depth_from_disparity(disparity_from_logit(plain.mean().view({-1}), kWhole), kAssumedScale);
  EXPECT_GT(off.div(depth).sub(1.0).abs().max().item<double>(), 0.15);
}

}  // namespace
}  // namespace supn
