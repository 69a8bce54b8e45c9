#include "supn/evaluation/depth/depth_quantiles.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/quantile.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace supn {
namespace {

at::Tensor one(double value) { return at::tensor({value}, at::kDouble); }

TEST(DepthInterval, IsTheDepthOfTheLogitsQuantiles) {
  const DepthInterval interval = depth_interval(-2.0, 0.5, 5.4, DepthRange());
  const auto depth = [](double logit) { return 5.4 / (0.01 + 9.99 / (1.0 + std::exp(-logit))); };
  EXPECT_NEAR(interval.median, depth(-2.0), 1e-12);
  EXPECT_NEAR(interval.low, depth(-2.0 + 0.5 * 1.644853627), 1e-8);
  EXPECT_NEAR(interval.high, depth(-2.0 - 0.5 * 1.644853627), 1e-8);
}

LogitPairs pair(double first_std, double second_std, double correlation) {
  return {one(-2.0),
          one(-2.6),
          one(first_std * first_std),
          one(second_std * second_std),
          one(correlation * first_std * second_std)};
}

at::Tensor depth_of(const at::Tensor& logit) {
  return depth_from_disparity(disparity_from_logit(logit, {}), 5.4);
}

// Against the quantiles of draws, whose own error is 0.003 of the spread.
TEST(DepthDifference, HasTheQuantilesOfDraws) {
  at::manual_seed(1);
  const at::Tensor z = at::randn({2, 200000}, at::kDouble);
  const std::array<double, 3> probabilities{0.05, 0.5, 0.95};
  for (const double correlation : {-0.7, 0.0, 0.9, 0.999}) {
    for (const auto& [a, b] : {std::pair{0.2, 0.2}, {0.4, 0.1}, {0.05, 0.3}}) {
      const at::Tensor d1 = z[0] * a - 2.0;
      const at::Tensor d2 =
          (z[0] * correlation + z[1] * std::sqrt(1.0 - correlation * correlation)) * b - 2.6;
      const at::Tensor drawn = depth_of(d1) - depth_of(d2);
      const at::Tensor quantiles =
          depth_difference_quantiles(pair(a, b, correlation), probabilities, 5.4, {});
      const double spread = drawn.std().item<double>();
      for (std::size_t q = 0; q < probabilities.size(); ++q) {
        EXPECT_NEAR(quantiles[static_cast<std::int64_t>(q)].item<double>(),
                    at::quantile(drawn, probabilities[q]).item<double>(),
                    0.01 * spread)
            << correlation << ' ' << a << ' ' << b << ' ' << probabilities[q];
      }
    }
  }
}

// P(D₁ − D₂ ≤ t) by a sum over 80,001 values of the second logit: D₁ is at most D₂ + t.
double probability_of(const LogitPairs& pair, double t) {
  constexpr double kStep = 2e-4;
  const at::Tensor z = at::arange(-40000, 40001, at::kDouble) * kStep;
  const at::Tensor std = pair.second_variance.sqrt();
  const at::Tensor shared = pair.covariance / std;
  const at::Tensor own = (pair.first_variance - shared.square()).clamp_min(1e-30).sqrt();
  const at::Tensor most = (depth_of(pair.second_mean + std * z) + t).clamp_min(0.0);
  const at::Tensor sigmoid =
      sigmoid_from_disparity(disparity_from_depth(most, 5.4), {}).clamp(0.0, 1.0);
  const at::Tensor least = (logit_from_sigmoid(sigmoid) - pair.first_mean - shared * z) / own;
  const at::Tensor density =
      (z.square() * -0.5).exp() * (kStep / std::sqrt(2.0 * std::numbers::pi));
  return (density * (least / std::sqrt(2.0)).erfc()).sum().item<double>() * 0.5;
}

TEST(DepthDifference, HasTheQuantilesOfAFineSum) {
  constexpr double kTolerance = 1e-4;  // of the width of the 90 % interval
  for (const double correlation : {-0.7, 0.0, 0.9, 0.999, 1.0}) {
    for (const auto& [a, b] : {std::pair{0.2, 0.2}, {1.0, 0.3}, {0.3, 1.0}, {1e-3, 0.2}}) {
      const LogitPairs logits = pair(a, b, correlation);
      const DepthInterval interval = depth_difference_interval(logits, 5.4, {});
      const double slack = kTolerance * (interval.high - interval.low);
      for (const auto& [quantile, probability] :
           {std::pair{interval.low, 0.05}, {interval.median, 0.5}, {interval.high, 0.95}}) {
        EXPECT_LT(probability_of(logits, quantile - slack), probability) << correlation << ' ' << a;
        EXPECT_GT(probability_of(logits, quantile + slack), probability) << correlation << ' ' << a;
      }
    }
  }
}

TEST(DepthDifference, IsTheDifferenceItselfWithoutVariance) {
  const DepthInterval interval = depth_difference_interval(pair(0.0, 0.0, 0.0), 5.4, {});
  const double difference = (depth_of(one(-2.0)) - depth_of(one(-2.6))).item<double>();
  EXPECT_NEAR(interval.low, difference, 1e-12);
  EXPECT_NEAR(interval.high, difference, 1e-12);
}

TEST(DepthDifference, OfAPixelWithItselfIsNone) {
  const at::Tensor variance = one(0.3);
  const LogitPairs same{one(-2.0), one(-2.0), variance, variance, variance};
  const DepthInterval interval = depth_difference_interval(same, 5.4, {});
  EXPECT_EQ(interval.low, 0.0);
  EXPECT_EQ(interval.median, 0.0);
  EXPECT_EQ(interval.high, 0.0);
}

TEST(DepthDifference, IsNaNForAPairWhoseNumbersAre) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  LogitPairs broken = pair(0.2, 0.2, 0.5);
  broken.covariance = one(nan);
  EXPECT_TRUE(std::isnan(depth_difference_interval(broken, 5.4, {}).median));
  broken = pair(0.2, 0.2, 0.5);
  broken.second_mean = one(nan);
  EXPECT_TRUE(std::isnan(depth_difference_interval(broken, 5.4, {}).high));
}

TEST(DepthDifference, OfPixelsThatMoveTogetherIsSurer) {
  const auto width = [](double correlation) {
    const DepthInterval interval = depth_difference_interval(pair(0.2, 0.2, correlation), 5.4, {});
    return interval.high - interval.low;
  };
  EXPECT_LT(width(0.9), 0.6 * width(0.0));
}

}  // namespace
}  // namespace supn
