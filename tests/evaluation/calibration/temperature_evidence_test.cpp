#include "supn/evaluation/calibration/temperature_evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/scores/smooth_field.hpp"

namespace supn {
namespace {

using namespace smooth_field;

// Depths in metres that a Gaussian of `width` times this one's standard deviations gives.
at::Tensor drawn_depth(double width, std::uint64_t seed) {
  const at::Tensor mean = smooth().mean()[0];
  const at::Tensor logits = mean + (drawn(smooth(), 1, seed) - mean) * width;
  return depth_from_disparity(disparity_from_logit(logits[0], {}), 5.4);
}

// Members at a fixed number of standard deviations: τ is that number.
TEST(TemperatureEvidence, OfMembersIsTheirRootMeanSquare) {
  const StructuredGaussian independent = without_coupling(smooth());
  const at::Tensor std = independent.log_diagonal()[0].neg().exp();
  TemperatureEvidence evidence;
  for (const double deviations : {1.0, 2.0}) {
    evidence.add_members(independent, independent.mean()[0] + std * deviations);
  }
  EXPECT_EQ(evidence.images(), 2);
  EXPECT_EQ(evidence.points(), 0);
  EXPECT_NEAR(evidence.temperature().value, std::sqrt(2.5), 1e-6);
}

TEST(TemperatureEvidence, OfTheTruthFindsHowMuchWiderItIs) {
  for (const double width : {1.0, 2.0}) {
    TemperatureEvidence evidence;
    for (std::uint64_t image = 0; image < 3; ++image) {
      const StructuredField field(smooth());
      evidence.add_truth(field, {drawn_depth(width, image), image}, config());
    }
    EXPECT_EQ(evidence.images(), 3);
    EXPECT_EQ(evidence.points(), 300);
    EXPECT_NEAR(evidence.temperature().value / width, 1.0, 0.15);
    EXPECT_TRUE(evidence.isotropic());
  }
}

TEST(TemperatureEvidence, TakesNothingFromImagesWithTooFewPoints) {
  const StructuredField field(smooth());
  at::Tensor one_point = at::zeros({kFieldHeight, kFieldWidth}, at::kDouble);
  one_point[12][20] = 10.0;
  at::Tensor half = drawn_depth(1.0, 3);
  half.narrow(0, 0, kFieldHeight - 9).zero_();  // 360 points are left
  TemperatureEvidence evidence;
  for (const at::Tensor& depth : {at::Tensor(), one_point}) {
    evidence.add_truth(field, {depth, 1}, config());
    evidence.add_points(field, {depth, 1}, config());
  }
  evidence.add_points(field, {half, 1}, config());
  EXPECT_EQ(evidence.images(), 0);
  EXPECT_FALSE(evidence.tails(1.0));
}

TEST(TemperatureEvidence, FitsTailsOnceAnImageHasPointsEnough) {
  const StructuredField field(smooth());
  TemperatureEvidence evidence;
  evidence.add_points(field, {drawn_depth(1.0, 5), 1}, config());
  const std::optional<Tails> tails = evidence.tails(1.0);
  ASSERT_TRUE(tails);
  EXPECT_GT(tails->width, 0.5);  // its own draws are nearly a Gaussian's
  EXPECT_LE(tails->width, 1.0);
}

}  // namespace
}  // namespace supn
