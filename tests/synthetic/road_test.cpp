#include "supn/synthetic/road.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>

#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

constexpr ImageSize kSize{48, 160};

at::Tensor draws(const RoadView& view, std::int64_t count) {
  const RoadSpread spread = road_spread(view);
  const StructuredGaussian exact = road_factor(spread, at::zeros_like(spread.std)).to(at::kDouble);
  const std::uint64_t seed = 5;
  return sample(exact, std::span(&seed, 1), {.range = {0, count}}).values[0];
}

// A bright, finely textured wall at 10 m.
RoadView textured_wall() {
  const at::Tensor checks =
      (at::arange(kSize.height).unsqueeze(1) + at::arange(kSize.width)).remainder(2);
  return {(checks * 90 + 150).to(at::kByte).unsqueeze(2).expand({-1, -1, 3}).clone(),
          at::full({kSize.height, kSize.width}, 10.0, at::kFloat)};
}

constexpr std::int64_t kRow = 24;
constexpr std::int64_t kColumn = 80;

double std_in_the_middle(const RoadView& view) {
  return road_spread(view).std[kRow][kColumn].item<double>();
}

// Share of the variance of log s that twenty classes of equally many pixels by depth explain.
double share_by_depth(const RoadView& view) {
  const at::Tensor log_std = road_spread(view).std.log().flatten();
  const at::Tensor order = road_depth(view).flatten().argsort();
  const at::Tensor classes = log_std.index_select(0, order).view({20, -1});
  return (classes.mean(1).var() / log_std.var()).item<double>();
}

double correlation(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = (a - a.mean()).flatten();
  const at::Tensor y = (b - b.mean()).flatten();
  return ((x * y).mean() / (x.square().mean() * y.square().mean()).sqrt()).item<double>();
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

TEST(RoadSpread, IsLargerWhereItIsHarder) {
  const double easy = std_in_the_middle(textured_wall());

  RoadView plain = textured_wall();
  plain.rgb.fill_(190);
  RoadView dark = textured_wall();
  dark.rgb.floor_divide_(3);
  RoadView far = textured_wall();
  far.depth_m.fill_(60.0);
  RoadView hidden = textured_wall();
  hidden.depth_m.narrow(1, kColumn + 3, 20).fill_(4.0);
  RoadView edge = textured_wall();
  edge.depth_m.narrow(1, 0, kColumn + 1).fill_(4.0);  // the pixel is on the near side
  RoadView thin = textured_wall();
  thin.depth_m.narrow(1, kColumn, 1).fill_(4.0);

  EXPECT_GT(std_in_the_middle(plain), 4.0 * easy);
  EXPECT_GT(std_in_the_middle(dark), 2.0 * easy);
  EXPECT_GT(std_in_the_middle(far), 1.1 * easy);
  EXPECT_GT(std_in_the_middle(hidden), 1.5 * easy);
  EXPECT_GT(std_in_the_middle(edge), 1.2 * easy);
  EXPECT_GT(std_in_the_middle(thin), 1.2 * std_in_the_middle(edge));
}

TEST(RoadSpread, IsNoFunctionOfDepthAlone) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    EXPECT_LT(share_by_depth(render_road(seed, kSize)), 0.6);
  }
}

TEST(RoadSpread, IsSmootherWithoutTexture) {
  RoadView view = render_road(1, kSize);
  const RoadSpread textured = road_spread(view);
  view.rgb = at::full_like(view.rgb, 190);

  const RoadSpread plain = road_spread(view);

  EXPECT_GT(plain.range.mean().item<double>(), 1.1 * textured.range.mean().item<double>());
}

TEST(SharedMisjudgement, BelongsToALookAndAWorld) {
  const at::Tensor red = at::zeros({16, 20, 3}, at::kByte);
  red.select(2, 0).fill_(200);
  const at::Tensor grey = at::full({30, 40, 3}, 100, at::kByte);

  const at::Tensor of_red = shared_misjudgement(red, 1);

  EXPECT_LT((of_red - of_red[0][0]).abs().max().item<double>(), 1e-12);
  EXPECT_EQ(shared_misjudgement(red.narrow(0, 0, 8), 1)[2][3].item<double>(),
            of_red[0][0].item<double>());
  EXPECT_GT((shared_misjudgement(red, 2) - of_red).abs().min().item<double>(), 1e-3);
  EXPECT_GT(std::abs((of_red[0][0] - shared_misjudgement(grey, 1)[0][0]).item<double>()), 1e-3);
}

// A saturated colour has little to do with the mean over greys, whose own variance adds up.
TEST(SharedMisjudgement, HasAboutUnitVarianceOverWorldsAndNoMeanOverGreys) {
  at::Tensor looks = at::zeros({2, 2, 3}, at::kByte);
  looks.select(2, 1).fill_(250);
  at::Tensor greys = at::linspace(25.5, 229.5, 17).round().to(at::kByte);
  greys = greys.view({17, 1, 1}).expand({17, 16, 3}).contiguous();
  constexpr int kWorlds = 600;
  double sum = 0.0;
  double squares = 0.0;
  double of_greys = 0.0;
  for (std::uint64_t world = 0; world < kWorlds; ++world) {
    const double value = shared_misjudgement(looks, world)[0][0].item<double>();
    sum += value;
    squares += value * value;
    if (world < 20) of_greys += std::abs(shared_misjudgement(greys, world).mean().item<double>());
  }

  // Standard errors about 0.05 and 0.07.
  EXPECT_NEAR(sum / kWorlds, 0.0, 0.2);
  EXPECT_NEAR(squares / kWorlds, 1.2, 0.35);
  EXPECT_LT(of_greys / 20.0, 0.15);  // the look is smoothed over a few pixels
}

TEST(RoadMean, ErrsWhereTheSpreadIsLarge) {
  double sum = 0.0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const RoadView view = render_road(seed, kSize);
    const RoadSpread spread = road_spread(view);
    const at::Tensor mean = road_mean(view, spread, {});
    const at::Tensor none = at::zeros_like(spread.std);
    const at::Tensor without = road_mean(view, {none, none, none}, {});
    sum += correlation((mean - without).abs(), spread.std);
  }
  EXPECT_GT(sum / 6.0, 0.4);
}

TEST(RoadMean, HasTheLogitOfTheTrueDepthWhereNothingIsShared) {
  const RoadView view = render_road(1, kSize);
  const at::Tensor none = at::zeros({kSize.height, kSize.width}, at::kDouble);
  const at::Tensor mean = road_mean(view, {none, none, none}, {});

  const double logit = mean[kSize.height - 1][kSize.width / 2].item<double>();
  const double depth = view.depth_m[kSize.height - 1][kSize.width / 2].item<double>();

  const double disparity = 0.01 + 9.99 / (1.0 + std::exp(-logit));
  EXPECT_NEAR(kRoadDepthScale / disparity, depth, 0.05 * depth);
}

TEST(RoadMean, RefusesAScaleThatTheSkyDoesNotFit) {
  const RoadView view = render_road(1, kSize);
  EXPECT_THROW(road_mean(view, road_spread(view), {.scale = 1.0}), c10::Error);
}

TEST(RoadFactor, HasTheMarginalStdThatTheSceneAsksFor) {
  for (const std::uint64_t seed : {1, 2}) {
    const RoadView view = render_road(seed, kSize);
    constexpr std::int64_t kDraws = 600;
    const at::Tensor values = draws(view, kDraws);

    const at::Tensor std = (values * values).mean(0).sqrt();
    const at::Tensor ratio = std / road_spread(view).std;

    // Standard error of each 0.029.
    EXPECT_NEAR(ratio.mean().item<double>(), 1.0, 0.02);
    EXPECT_GT(ratio.min().item<double>(), 0.85);
    EXPECT_LT(ratio.max().item<double>(), 1.18);
  }
}

TEST(RoadFactor, IsSmoothOnSurfacesAndBrokenAtDepthEdges) {
  const RoadView view = render_road(2, kSize);
  const at::Tensor values = draws(view, 400);
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

TEST(RoadFactor, BoundsTheLikelihoodByItsNugget) {
  const RoadView view = render_road(1, kSize);
  const RoadSpread spread = road_spread(view);
  const at::Tensor log_diagonal =
      road_factor(spread, at::zeros_like(spread.std)).log_diagonal()[0][0].to(at::kDouble);

  const at::Tensor innovation = (-log_diagonal).exp() / spread.std;

  EXPECT_GT(innovation.min().item<double>(), 0.015);
}

}  // namespace
}  // namespace supn
