#include "supn/evaluation/depth/condition_image.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <string>

#include "evaluation/scores/smooth_field.hpp"
#include "message_of.hpp"

namespace supn {
namespace {

using namespace smooth_field;
using testing::HasSubstr;

ConditionOptions options_of(std::int64_t count) {
  ConditionOptions options;
  options.count_known = count;
  options.noise.relative = 0.01;
  options.protocol = AccuracyProtocol::kEigenBenchmark;
  return options;
}

// Metres of a draw of the Gaussian itself.
at::Tensor drawn_depth(double scale = 5.4) {
  const at::Tensor logits = drawn(smooth(), 1, 7)[0];
  return depth_from_disparity(disparity_from_logit(logits, {}), scale);
}

TEST(ConditionImage, BringsTheMeanNearerToWhatIsHeldBack) {
  const ConditionedImage result = condition_image(smooth(), {drawn_depth()}, options_of(100), 1);
  EXPECT_EQ(result.known.count(), 100);
  EXPECT_EQ(result.measurements, kFieldHeight * kFieldWidth);
  EXPECT_EQ(result.after->points, kFieldHeight * kFieldWidth - 100);
  EXPECT_LT(result.after->accuracy.abs_rel, 0.7 * result.before->accuracy.abs_rel);
  EXPECT_LT(result.posterior.variance.sum().item<double>(),
            0.5 * result.prior.variance.sum().item<double>());
  EXPECT_EQ(result.rivals.size(), 2);
}

TEST(ConditionImage, WithoutKnownPointsIsThePrior) {
  ConditionOptions options = options_of(0);
  options.scale.mode = ScaleMode::kFixed;
  const ConditionedImage result = condition_image(smooth(), {drawn_depth()}, options, 1);
  EXPECT_TRUE(result.posterior.mean.equal(result.prior.mean));
  EXPECT_TRUE(result.rivals.empty());
}

TEST(ConditionImage, LeavesOutWhatTheGateDrops) {
  at::Tensor depth = drawn_depth();
  depth[0][0] = 60.0;  // far from all others
  ConditionOptions options = options_of(kFieldHeight * kFieldWidth);
  options.gate = 6.0;
  const ConditionedImage result = condition_image(smooth(), {depth}, options, 1);
  ASSERT_EQ(result.gated.count(), 1);
  EXPECT_EQ(result.gated.pixels.item<std::int64_t>(), 0);
  EXPECT_FALSE(result.after);  // nothing is held back
}

TEST(ConditionImage, SaysWhyNoPointCanBeBelieved) {
  const auto refusal = [](const MeasuredMaps& maps, const ConditionOptions& options) {
    return message_of<ConfigError>([&] { condition_image(smooth(), maps, options, 1); });
  };
  ConditionOptions options = options_of(50);
  options.scale.mode = ScaleMode::kFixed;
  EXPECT_THAT(refusal({drawn_depth(5400.0) * 1000.0}, options),
              HasSubstr("none of the 50 measured depths"));
  EXPECT_THAT(refusal({at::zeros({kFieldHeight, kFieldWidth}, at::kDouble)}, options),
              HasSubstr("no measured depth falls on a pixel"));
}

TEST(ScaleChoice, FollowsThePointsWhereTheyDisagree) {
  const at::Tensor mean = smooth().mean();
  const at::Tensor pixels = at::arange(40, at::kLong);
  const at::Tensor metres =
      depth_from_disparity(disparity_from_logit(mean.flatten(), {}), 5.4).index_select(0, pixels);
  const DepthMeasurements fitting{pixels, metres};
  const DepthMeasurements other{pixels, metres * 3.0};
  EXPECT_EQ(choose_scale({}, mean, fitting).scale, 5.4);
  EXPECT_EQ(choose_scale({}, mean, fitting).reason, "auto: fixed, the known points' median is 5.4");
  EXPECT_NEAR(choose_scale({}, mean, other).scale, 16.2, 1e-9);
  EXPECT_EQ(choose_scale({.mode = ScaleMode::kFixed}, mean, other).scale, 5.4);
  EXPECT_THROW(choose_scale({.mode = ScaleMode::kMedian},
                            mean,
                            {at::empty({0}, at::kLong), at::empty({0}, at::kDouble)}),
               ConfigError);
  EXPECT_EQ(scale_warning({}, 1.0), "");
  EXPECT_THAT(scale_warning({.mode = ScaleMode::kFixed}, 30.0), HasSubstr("--scale median"));
}

}  // namespace
}  // namespace supn
