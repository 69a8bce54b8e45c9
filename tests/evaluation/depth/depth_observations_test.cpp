#include "supn/evaluation/depth/depth_observations.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

constexpr double kMetresPerDisparity = 5.4;
const DepthRange kRange;

std::vector<std::int64_t> integers(const at::Tensor& t) {
  const auto* begin = t.const_data_ptr<std::int64_t>();
  return {begin, begin + t.numel()};
}

// 4×6 with depths at four pixels; on a grid of 2×3 two of them share pixel (0, 1).
at::Tensor depth_map() {
  at::Tensor map = at::zeros({4, 6}, at::kFloat);
  map[0][2] = 8.0;
  map[1][3] = 6.0;
  map[3][5] = 20.0;
  map[2][0] = 4.0;
  map[2][1] = std::numeric_limits<float>::quiet_NaN();
  map[3][0] = -1.0;
  return map;
}

TEST(DepthObservations, PixelsFallWhereTheirCentresDo) {
  EXPECT_EQ(grid_pixel(3, 5, {4, 6}, {2, 3}), 1 * 3 + 2);
  EXPECT_EQ(grid_pixel(187, 620, {375, 1242}, {192, 640}), 96 * 640 + 319);
  EXPECT_EQ(grid_pixel(1, 1, {2, 2}, {4, 4}), 3 * 4 + 3);
}

TEST(DepthObservations, NearestMeasurementOfAPixelWins) {
  const DepthMeasurements found = measurements_on_grid(depth_map(), {2, 3});
  EXPECT_EQ(integers(found.pixels), (std::vector<std::int64_t>{1, 3, 5}));
  EXPECT_TRUE(found.depth_m.equal(tensor_of({6, 4, 20})));
  EXPECT_EQ(found.merged, 1);
}

TEST(DepthObservations, HeldBackAreAllThatFallOnOtherPixels) {
  const DepthMeasurements found = measurements_on_grid(depth_map(), {2, 3});
  const at::Tensor rest =
      without_measurements(depth_map(), selected(found, at::zeros({1}, at::kLong)).pixels, {2, 3});
  EXPECT_EQ(rest.gt(0).sum().item<std::int64_t>(), 2);
  EXPECT_EQ(rest[3][5].item<double>(), 20.0);
  EXPECT_EQ(rest[2][0].item<double>(), 4.0);
}

TEST(DepthObservations, OrderIsAPermutationOfTheSeed) {
  const std::vector<std::int64_t> order = integers(random_order(1000, 7));
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  EXPECT_NE(order, sorted);
  EXPECT_EQ(order, integers(random_order(1000, 7)));
  EXPECT_NE(order, integers(random_order(1000, 8)));
  EXPECT_EQ(random_order(0, 1).size(0), 0);
}

TEST(DepthObservations, MetresBecomeLogitsByTheScale) {
  const at::Tensor logit = tensor_of({-4.0, -1.0, 0.5});
  const at::Tensor metres =
      depth_from_disparity(disparity_from_logit(logit, kRange), kMetresPerDisparity);
  EXPECT_TRUE(logit_from_depth(metres, kMetresPerDisparity, kRange).allclose(logit, 1e-11, 1e-11));
}

TEST(DepthObservations, NoiseFollowsTheSlope) {
  const at::Tensor metres = tensor_of({2.0, 14.0, 60.0});
  const double step = 1e-5;
  const at::Tensor slope = logit_from_depth(metres.add(step), kMetresPerDisparity, kRange)
                               .sub(logit_from_depth(metres.sub(step), kMetresPerDisparity, kRange))
                               .div(2.0 * step);
  const at::Tensor in_metres =
      logit_noise_variance(metres, kMetresPerDisparity, {.metres = 0.3}, kRange);
  const at::Tensor relative =
      logit_noise_variance(metres, kMetresPerDisparity, {.relative = 0.1}, kRange);
  EXPECT_TRUE(in_metres.allclose(slope.mul(0.3).square(), 1e-7));
  EXPECT_TRUE(relative.allclose(slope.mul(metres).mul(0.1).square(), 1e-7));
  EXPECT_EQ(
      logit_noise_variance(metres, kMetresPerDisparity, {}, kRange).abs().sum().item<double>(),
      0.0);
}

TEST(DepthObservations, NoiseOfBothKindsAddsUpInVariance) {
  const at::Tensor metres = tensor_of({2.0, 14.0, 60.0});
  const at::Tensor both =
      logit_noise_variance(metres, kMetresPerDisparity, {.metres = 0.3, .relative = 0.1}, kRange);
  const at::Tensor sum =
      logit_noise_variance(metres, kMetresPerDisparity, {.metres = 0.3}, kRange) +
      logit_noise_variance(metres, kMetresPerDisparity, {.relative = 0.1}, kRange);
  EXPECT_TRUE(both.allclose(sum, 1e-12));
}

TEST(DepthObservations, OfAPointsOwnStdComesFirst) {
  at::Tensor std = at::zeros({4, 6}, at::kFloat);
  std[1][3] = 0.25;
  std[3][5] = 2.0;
  std[2][0] = 0.125;
  at::Tensor depth = depth_map();
  depth[0][2] = 0.0;
  const DepthMeasurements found = measurements_on_grid(depth, {2, 3}, std);
  EXPECT_TRUE(found.std_m.equal(tensor_of({0.25, 0.125, 2.0})));
  const Observations observed =
      depth_observations(found, kMetresPerDisparity, {.relative = 0.1}, kRange);
  for (std::int64_t i = 0; i < 3; ++i) {
    const at::Tensor expected = logit_noise_variance(found.depth_m.narrow(0, i, 1),
                                                     kMetresPerDisparity,
                                                     {.metres = found.std_m[i].item<double>()},
                                                     kRange);
    EXPECT_NEAR(observed.noise_variance[i].item<double>(),
                expected.item<double>(),
                1e-12 * expected.item<double>());
  }
  const DepthMeasurements last = selected(found, at::full({1}, 2, at::kLong));
  EXPECT_EQ(last.std_m.item<double>(), 2.0);
}

// 8 m ± 0.5 m and 6 m ± 0.25 m have precisions of 4 and 16.
TEST(DepthObservations, WithAStdOnOnePixelAddUpByPrecision) {
  at::Tensor std = at::full({4, 6}, 1.0);
  std[0][2] = 0.5;
  std[1][3] = 0.25;
  const DepthMeasurements found = measurements_on_grid(depth_map(), {2, 3}, std);
  EXPECT_EQ(integers(found.pixels), (std::vector<std::int64_t>{1, 3, 5}));
  EXPECT_TRUE(found.depth_m.allclose(tensor_of({6.4, 4, 20}), 1e-14));
  EXPECT_TRUE(found.std_m.allclose(tensor_of({std::sqrt(1.0 / 20.0), 1, 1}), 1e-14));
  EXPECT_EQ(found.merged, 1);
}

TEST(DepthObservations, OfStdZeroOutrankOthersAndTheNearestIsKept) {
  at::Tensor std = at::full({4, 6}, 1.0);
  std[0][2] = 0.0;
  const DepthMeasurements one = measurements_on_grid(depth_map(), {2, 3}, std);
  EXPECT_EQ(one.depth_m[0].item<double>(), 8.0);
  EXPECT_EQ(one.std_m[0].item<double>(), 0.0);
  std[1][3] = 0.0;
  const DepthMeasurements both = measurements_on_grid(depth_map(), {2, 3}, std);
  EXPECT_EQ(both.depth_m[0].item<double>(), 6.0);
  EXPECT_EQ(both.std_m[0].item<double>(), 0.0);
}

TEST(DepthObservations, OnlyDepthsOfTheRangeAreRepresentable) {
  DepthMeasurements all = measurements_on_grid(depth_map(), {2, 3});
  all.depth_m = tensor_of({0.5, 10.0, 541.0});  // the range is 0.54 … 540 m
  EXPECT_EQ(integers(representable(all, kMetresPerDisparity, kRange)),
            std::vector<std::int64_t>{1});
  EXPECT_THROW(depth_observations(all, kMetresPerDisparity, {}, kRange), c10::Error);

  const DepthMeasurements usable = selected(all, representable(all, kMetresPerDisparity, kRange));
  const Observations observations =
      depth_observations(usable, kMetresPerDisparity, {.relative = 0.1}, kRange);
  EXPECT_EQ(integers(observations.pixels), std::vector<std::int64_t>{3});
  EXPECT_NEAR(
      observations.values[0].item<double>(), std::log(0.53 / 9.99 / (1 - 0.53 / 9.99)), 1e-12);
}

TEST(DepthObservations, MedianScaleIsUndone) {
  const DepthMeasurements found = measurements_on_grid(depth_map(), {2, 3});
  at::Tensor mean = at::zeros({2, 3}, at::kDouble);
  mean.view({-1}).index_copy_(0, found.pixels, logit_from_depth(found.depth_m, 2.5, kRange));
  EXPECT_NEAR(median_scale(mean, found, kRange), 2.5, 1e-12);
  const DepthRange other{1.0, 80.0};
  mean.view({-1}).index_copy_(0, found.pixels, logit_from_depth(found.depth_m, 2.5, other));
  EXPECT_NEAR(median_scale(mean, found, other), 2.5, 1e-12);
  EXPECT_THROW(median_scale(mean, selected(found, at::zeros({0}, at::kLong)), kRange), c10::Error);
}

TEST(DepthObservations, RejectScalesAndNoiseThatAreNone) {
  const DepthMeasurements found = measurements_on_grid(depth_map(), {2, 3});
  EXPECT_THROW(depth_observations(found, 0.0, {}, kRange), c10::Error);
  EXPECT_THROW(depth_observations(found, kMetresPerDisparity, {.metres = -1.0}, kRange),
               c10::Error);
  EXPECT_THROW(measurements_on_grid(at::zeros({3}), {2, 3}), c10::Error);
}

}  // namespace
}  // namespace supn
