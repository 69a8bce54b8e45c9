#include "supn/evaluation/calibration/interval_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "supn/evaluation/depth/depth_quantiles.hpp"

namespace supn {
namespace {

// Of N(mean, std²), the same for every value.
at::Tensor normal_quantiles(double mean, double std, std::int64_t count) {
  std::vector<at::Tensor> quantiles;
  for (const double p : kQuantileProbabilities) {
    quantiles.push_back(at::full({count}, mean + std * normal_quantile(p), at::kDouble));
  }
  return at::stack(quantiles);
}

TEST(IntervalScores, AreRightOfTheTrueDistribution) {
  at::manual_seed(1);
  const at::Tensor truth = at::randn({20000}, at::kDouble) * 2.0 + 10.0;
  const IntervalScores scores =
      interval_scores(normal_quantiles(10.0, 2.0, 20000), truth, at::full_like(truth, 10.0));
  EXPECT_NEAR(scores.in_50, 0.5, 0.01);
  EXPECT_NEAR(scores.in_90, 0.9, 0.01);
  EXPECT_NEAR(scores.width, 2.0 * 1.6449 * 2.0 / 10.0, 1e-3);
  // E CRPS = std/√π.
  EXPECT_NEAR(scores.crps, 2.0 / std::sqrt(std::numbers::pi) / 10.0, 0.003);
}

// Proper: wider, narrower and shifted ones are worse.
TEST(IntervalScores, PreferTheTrueDistribution) {
  at::manual_seed(1);
  const at::Tensor truth = at::randn({20000}, at::kDouble);
  const auto of = [&](double mean, double std) {
    return interval_scores(normal_quantiles(mean, std, 20000), truth, at::ones_like(truth));
  };
  const IntervalScores right = of(0.0, 1.0);
  for (const auto& [mean, std] : {std::pair{0.0, 1.6}, {0.0, 0.6}, {0.5, 1.0}}) {
    EXPECT_GT(of(mean, std).crps, right.crps) << mean << ' ' << std;
    EXPECT_GT(of(mean, std).score, right.score) << mean << ' ' << std;
  }
}

TEST(IntervalScores, CountByHand) {
  const at::Tensor truth = at::tensor({0.0, 3.0}, at::kDouble);
  const at::Tensor depth = at::tensor({1.0, 2.0}, at::kDouble);
  const IntervalScores scores = interval_scores(normal_quantiles(0.0, 1.0, 2), truth, depth);
  const double half = 1.6448536;
  EXPECT_EQ(scores.in_50, 0.5);
  EXPECT_EQ(scores.in_90, 0.5);
  EXPECT_NEAR(scores.width, 0.5 * (2.0 * half + half), 1e-6);
  EXPECT_NEAR(scores.score, scores.width + 0.5 * 20.0 * (3.0 - half) / 2.0, 1e-6);
}

TEST(IntervalScores, AreNaNWithoutValues) {
  const at::Tensor none = at::full({0}, 0.0, at::kDouble);
  EXPECT_TRUE(std::isnan(interval_scores(normal_quantiles(0.0, 1.0, 0), none, none).crps));
}

}  // namespace
}  // namespace supn
