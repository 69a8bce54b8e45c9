// Where a Gaussian's spread fits the members, by level and about its mean.
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "evaluation/scores/smooth_field.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/gaussian/class_view.hpp"

namespace supn {
namespace {

constexpr std::int64_t kRows = 24;
constexpr std::int64_t kColumns = 40;

// Standard normals around `mean`.
StructuredGaussian normals_around(double mean, const Neighbourhood& order = Neighbourhood(0)) {
  const at::Tensor map = at::zeros({1, 1, kRows, kColumns}, at::kDouble);
  return {map + mean, map, map.repeat({1, order.size(), 1, 1}), order};
}

EvaluationConfig few_samples() {
  EvaluationConfig config;
  config.samples = 8;
  return config;
}

// Members whose coarsest pixels spread twice as far: there alone the Gaussian is too sure, by four.
TEST(ScoreGaussian, TellsWhichLevelsAreTooSure) {
  const StructuredGaussian gaussian = normals_around(0.0, Neighbourhood(CoarseToFine{.levels = 2}));
  at::Tensor members = drawn(gaussian, 8, 3);
  class_view(gaussian.neighbourhood().classes(gaussian.size()).front(), members.unsqueeze(0))
      .mul_(2.0);

  const ImageScores scores =
      score_gaussian(gaussian, {.members = members, .seed = 1}, few_samples());

  ASSERT_EQ(scores.level_variances.size(), 3U);
  EXPECT_NEAR(scores.level_variances[0], 1.0, 0.1);
  EXPECT_NEAR(scores.level_variances[1], 1.0, 0.2);
  EXPECT_NEAR(scores.level_variances[2], 4.0, 1.0);
  EXPECT_TRUE(score_gaussian(normals_around(0.0), {.members = members, .seed = 1}, few_samples())
                  .level_variances.empty());
}

// About a mean that is off by twice the std the members' rms is √5 times as large.
TEST(ScoreGaussian, ComparesTheSpreadWithTheErrorsOfTheMean) {
  const at::Tensor members = drawn(normals_around(0.0), 64, 3);
  const auto ratio = [&](double mean) {
    return score_gaussian(normals_around(mean), {.members = members, .seed = 1}, few_samples())
        .spread_about_mean->median;
  };
  EXPECT_NEAR(ratio(0.0), 1.0, 0.05);
  EXPECT_NEAR(ratio(2.0), 1.0 / std::sqrt(5.0), 0.02);
}

}  // namespace
}  // namespace supn
