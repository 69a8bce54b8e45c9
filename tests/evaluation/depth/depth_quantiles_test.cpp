#include "supn/evaluation/depth/depth_quantiles.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/quantile.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

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
                    0.02 * spread)
            << correlation << ' ' << a << ' ' << b << ' ' << probabilities[q];
      }
    }
  }
}

TEST(DepthDifference, IsTheDifferenceItselfWithoutVariance) {
  const DepthInterval interval = depth_difference_interval(pair(0.0, 0.0, 0.0), 5.4, {});
  const double difference = (depth_of(one(-2.0)) - depth_of(one(-2.6))).item<double>();
  EXPECT_NEAR(interval.low, difference, 1e-5);
  EXPECT_NEAR(interval.high, difference, 1e-5);
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
