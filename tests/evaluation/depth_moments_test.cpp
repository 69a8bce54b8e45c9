#include "supn/evaluation/depth_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "evaluation/fixture.hpp"

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
    for (const double std : {0.02, 0.5, 3.0}) {
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

TEST(DepthMoments, AreTheValueItselfWithoutVariance) {
  const Moments depth = depth_moments(tensor_of({-1.0}), tensor_of({0.0}), 5.4, {});
  EXPECT_DOUBLE_EQ(depth.mean[0].item<double>(), 5.4 / disparity(-1.0));
  EXPECT_EQ(depth.variance[0].item<double>(), 0.0);
}

TEST(DepthMoments, RejectShapesThatDiffer) {
  EXPECT_THROW(depth_moments(tensor_of({1, 2}), tensor_of({1}), 1.0, {}), c10::Error);
}

}  // namespace
}  // namespace supn
