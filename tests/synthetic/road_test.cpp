#include "supn/synthetic/road.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

constexpr ImageSize kSize{48, 160};

at::Tensor draws(const StructuredGaussian& gaussian, std::int64_t count) {
  const std::uint64_t seed = 5;
  const StructuredGaussian exact = gaussian.to(at::kDouble);
  return sample(exact, std::span(&seed, 1), {.range = {0, count}}).values[0] - exact.mean()[0];
}

TEST(RenderRoad, IsAFunctionOfTheSeed) {
  const RoadView first = render_road(3, kSize);
  const RoadView again = render_road(3, kSize);
  const RoadView other = render_road(4, kSize);

  EXPECT_TRUE(at::equal(first.rgb, again.rgb));
  EXPECT_TRUE(at::equal(first.depth_m, again.depth_m));
  EXPECT_FALSE(at::equal(first.rgb, other.rgb));
}

TEST(RenderRoad, HasTheGroundOfThePinholeCameraAtTheBottom) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const at::Tensor depth = render_road(seed, kSize).depth_m;

    // Camera height times focal length over rows below the horizon, ± the pitch.
    const double rows = kSize.height * (1.0 - kRoadPrincipalHeight) - 0.5;
    const double focal = kRoadFocalOverWidth * kSize.width;
    const double ground = kRoadCameraHeight * focal / rows;
    EXPECT_NEAR(depth[kSize.height - 1][kSize.width / 2].item<double>(), ground, 0.1 * ground);
    EXPECT_GE(depth.min().item<double>(), 0.0);
    EXPECT_LT(depth.max().item<double>(), kRoadSkyDepth);
  }
}

TEST(RenderRoad, ShowsTheSameSceneAtALargerSize) {
  const at::Tensor small = render_road(7, kSize).depth_m.to(at::kDouble);
  const at::Tensor large = render_road(7, {2 * kSize.height, 2 * kSize.width}).depth_m;

  const at::Tensor upper = large.slice(0, 0, large.size(0), 2).slice(1, 0, large.size(1), 2);
  const at::Tensor ratio = (upper + 1.0) / (small + 1.0);

  EXPECT_NEAR(ratio.median().item<double>(), 1.0, 0.02);
}

TEST(RenderRoad, RefusesSizesOutOfRange) {
  EXPECT_THROW(render_road(1, {8, 160}), c10::Error);
  EXPECT_THROW(render_road(1, {48, 5000}), c10::Error);
}

TEST(RoadSpread, IsLargerFarAway) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const RoadView view = render_road(seed, kSize);
    const at::Tensor std = road_spread(view).std;
    const at::Tensor depth = road_depth(view);

    const double near = std.masked_select(depth.lt(8.0)).mean().item<double>();
    const double far = std.masked_select(depth.gt(50.0)).mean().item<double>();

    EXPECT_GT(far, 2.0 * near);
    EXPECT_GT(std.min().item<double>(), 0.025);
    EXPECT_LT(std.max().item<double>(), 0.3);
  }
}

TEST(RoadSpread, IsLargerAndSmootherWithoutTexture) {
  RoadView view = render_road(1, kSize);
  const RoadSpread textured = road_spread(view);
  view.rgb = view.rgb.clone().fill_(100);

  const RoadSpread plain = road_spread(view);

  EXPECT_TRUE((plain.std >= textured.std).all().item<bool>());
  EXPECT_GT(plain.std.mean().item<double>(), 1.02 * textured.std.mean().item<double>());
  EXPECT_GT(plain.range.mean().item<double>(), 1.1 * textured.range.mean().item<double>());
}

TEST(RoadGaussian, HasTheMarginalStdThatTheSceneAsksFor) {
  for (const std::uint64_t seed : {1, 2}) {
    const RoadView view = render_road(seed, kSize);
    constexpr std::int64_t kDraws = 600;
    const at::Tensor values = draws(road_gaussian(view, kRoadDepthScale), kDraws);

    const at::Tensor std = (values * values).mean(0).sqrt();
    const at::Tensor ratio = std / road_spread(view).std;

    // Standard error of each 0.029.
    EXPECT_NEAR(ratio.mean().item<double>(), 1.0, 0.02);
    EXPECT_GT(ratio.min().item<double>(), 0.85);
    EXPECT_LT(ratio.max().item<double>(), 1.18);
  }
}

TEST(RoadGaussian, IsSmoothOnSurfacesAndBrokenAtDepthEdges) {
  const RoadView view = render_road(2, kSize);
  const at::Tensor values = draws(road_gaussian(view, kRoadDepthScale), 400);
  const at::Tensor unit = values / (values * values).mean(0).sqrt();
  const std::int64_t width = kSize.width;
  const at::Tensor correlation =
      (unit.narrow(2, 0, width - 1) * unit.narrow(2, 1, width - 1)).mean(0);
  const at::Tensor log_depth = road_depth(view).log();
  const at::Tensor jump =
      (log_depth.narrow(1, 0, width - 1) - log_depth.narrow(1, 1, width - 1)).abs();

  const at::Tensor on_surface = correlation.masked_select(jump.lt(0.05));
  const at::Tensor across_edge = correlation.masked_select(jump.gt(1.2));

  ASSERT_GT(across_edge.numel(), 20);
  EXPECT_GT(on_surface.mean().item<double>(), 0.9);
  EXPECT_LT(across_edge.mean().item<double>(), 0.3);
}

TEST(RoadGaussian, HasTheLogitOfTheTrueDepthAsItsMean) {
  const RoadView view = render_road(1, kSize);
  const StructuredGaussian gaussian = road_gaussian(view, 5.4);

  const double logit = gaussian.mean()[0][0][kSize.height - 1][kSize.width / 2].item<double>();
  const double depth = view.depth_m[kSize.height - 1][kSize.width / 2].item<double>();

  const double disparity = 0.01 + 9.99 / (1.0 + std::exp(-logit));
  EXPECT_NEAR(5.4 / disparity, depth, 0.05 * depth);
  EXPECT_EQ(gaussian.neighbourhood().radius(), 2);
}

TEST(RoadGaussian, BoundsTheLikelihoodByItsNugget) {
  const RoadView view = render_road(1, kSize);
  const RoadSpread spread = road_spread(view);
  const at::Tensor log_diagonal = road_gaussian(view, 5.4).log_diagonal()[0][0].to(at::kDouble);

  const at::Tensor innovation = (-log_diagonal).exp() / spread.std;

  EXPECT_GT(innovation.min().item<double>(), 0.015);
}

TEST(RoadGaussian, RefusesAScaleThatTheSkyDoesNotFit) {
  EXPECT_THROW(road_gaussian(render_road(1, kSize), 1.0), c10::Error);
}

}  // namespace
}  // namespace supn
