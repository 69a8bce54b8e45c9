#include "supn/evaluation/depth/depth_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

// By Simpson's rule with 20,001 points: another rule, 600 times finer.
double expectation(double mean, double std, const std::function<double(double)>& f) {
  constexpr int kSteps = 20000;
  const double h = 20.0 / kSteps;
  double sum = 0.0;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = -10.0 + h * i;
    const double weight = i == 0 || i == kSteps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::exp(-0.5 * t * t) * f(mean + std * t);
  }
  return sum * h / 3.0 / std::sqrt(2.0 * std::numbers::pi);
}

double disparity(double logit) { return 0.01 + 9.99 / (1.0 + std::exp(-logit)); }

TEST(DepthMoments, AreTheIntegrals) {
  for (const double mean : {-6.0, -2.0, 1.0}) {
    for (const double std : {0.02, 0.5, 1.0, 3.0}) {
      const Moments depth = depth_moments(tensor_of({mean}), tensor_of({std * std}), 5.4, {});
      const Moments disp = disparity_moments(tensor_of({mean}), tensor_of({std * std}), {});
      const auto first = [](double logit) { return 5.4 / disparity(logit); };
      const double expected = expectation(mean, std, first);
      const double variance =
          expectation(mean, std, [&](double x) { return std::pow(first(x) - expected, 2); });
      EXPECT_NEAR(depth.mean[0].item<double>() / expected, 1.0, 1e-6) << mean << ' ' << std;
      EXPECT_NEAR(depth.variance[0].item<double>() / variance, 1.0, 1e-6) << mean << ' ' << std;
      EXPECT_NEAR(disp.mean[0].item<double>() / expectation(mean, std, disparity), 1.0, 1e-6);
    }
  }
}

TEST(DepthMoments, OfAPixelDoNotDependOnTheOthers) {
  const Moments both = depth_moments(tensor_of({-2.0, -3.0}), tensor_of({0.01, 4.0}), 5.4, {});
  const Moments narrow = depth_moments(tensor_of({-2.0}), tensor_of({0.01}), 5.4, {});
  const Moments wide = depth_moments(tensor_of({-3.0}), tensor_of({4.0}), 5.4, {});
  EXPECT_DOUBLE_EQ(both.mean[0].item<double>(), narrow.mean[0].item<double>());
  EXPECT_DOUBLE_EQ(both.variance[0].item<double>(), narrow.variance[0].item<double>());
  EXPECT_DOUBLE_EQ(both.mean[1].item<double>(), wide.mean[0].item<double>());
  EXPECT_DOUBLE_EQ(both.variance[1].item<double>(), wide.variance[0].item<double>());
}

TEST(DepthMoments, AreTheValueItselfWithoutVariance) {
  const Moments depth = depth_moments(tensor_of({-1.0}), tensor_of({0.0}), 5.4, {});
  EXPECT_DOUBLE_EQ(depth.mean[0].item<double>(), 5.4 / disparity(-1.0));
  EXPECT_EQ(depth.variance[0].item<double>(), 0.0);
}

TEST(JointDepthMoments, AreTheIntegralsOverBothLogits) {
  constexpr double kDepthScale = 5.4;
  const double mean[] = {-3.0, -2.0};
  const double std[] = {0.4, 0.7};
  for (const double rho : {-1.0, -0.5, 0.0, 0.8, 1.0}) {
    const double cross = rho * std[0] * std[1];
    const JointMoments joint = joint_depth_moments(
        tensor_of({mean[0], mean[1]}),
        tensor_of({std[0] * std[0], cross, cross, std[1] * std[1]}).view({2, 2}),
        kDepthScale,
        {});
    const auto depth = [](double logit) { return kDepthScale / disparity(logit); };
    // The second depth's expectation given the first logit, within the first's.
    const double rest = std[1] * std::sqrt(1.0 - rho * rho);
    double product = 0.0;
    constexpr int kSteps = 400;
    for (int i = 0; i <= kSteps; ++i) {
      const double t = -8.0 + 16.0 * i / kSteps;
      const double weight = i == 0 || i == kSteps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
      const double second = expectation(mean[1] + rho * std[1] * t, rest, depth);
      product += weight * std::exp(-0.5 * t * t) * depth(mean[0] + std[0] * t) * second;
    }
    product *= 16.0 / kSteps / 3.0 / std::sqrt(2.0 * std::numbers::pi);
    const double expected =
        product - expectation(mean[0], std[0], depth) * expectation(mean[1], std[1], depth);
    EXPECT_NEAR(joint.covariance[0][1].item<double>(), expected, 1e-4) << rho;
    EXPECT_EQ(joint.covariance[1][0].item<double>(), joint.covariance[0][1].item<double>());
    const Moments own =
        depth_moments(tensor_of({mean[1]}), tensor_of({std[1] * std[1]}), kDepthScale, {});
    EXPECT_DOUBLE_EQ(joint.covariance[1][1].item<double>(), own.variance[0].item<double>());
    EXPECT_DOUBLE_EQ(joint.mean[1].item<double>(), own.mean[0].item<double>());
  }
}

TEST(JointDepthMoments, OfOneLogitTwiceAreItsVariance) {
  const JointMoments joint = joint_depth_moments(
      tensor_of({-2.0, -2.0}), tensor_of({0.09, 0.09, 0.09, 0.09}).view({2, 2}), 5.4, {});
  EXPECT_NEAR(
      joint.covariance[0][1].item<double>() / joint.covariance[0][0].item<double>(), 1.0, 1e-9);
  EXPECT_THROW(joint_depth_moments(tensor_of({1.0}), tensor_of({1.0}), 1.0, {}), c10::Error);
}

TEST(DepthMoments, RejectShapesThatDiffer) {
  EXPECT_THROW(depth_moments(tensor_of({1, 2}), tensor_of({1}), 1.0, {}), c10::Error);
}

}  // namespace
}  // namespace supn
