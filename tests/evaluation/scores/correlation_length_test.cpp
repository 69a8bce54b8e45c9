#include "supn/evaluation/scores/correlation_length.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gaussian/dense_oracle.hpp"

namespace supn {
namespace {

using test::GaussianShape;

CorrelationLengths lengths_of(const StructuredGaussian& gaussian) {
  return correlation_lengths(local_correlations(local_covariances(gaussian)));
}

double correlation(const at::Tensor& covariance, std::int64_t a, std::int64_t b) {
  return covariance[a][b].item<double>() /
         std::sqrt(covariance[a][a].item<double>() * covariance[b][b].item<double>());
}

TEST(CorrelationLength, IsThatOfTheExponential) {
  const StructuredGaussian gaussian =
      test::smooth_gaussian(2, {.batch = 1, .height = 6, .width = 9});
  const at::Tensor covariance = test::dense_covariance(gaussian);

  const CorrelationLengths lengths = lengths_of(gaussian);

  for (std::int64_t y = 0; y < 6; ++y) {
    for (std::int64_t x = 0; x < 9; ++x) {
      const std::int64_t left = x + 4 < 9 ? x : x - 4;  // the far border looks back
      const std::int64_t top = y + 2 < 6 ? y : y - 2;
      const double along_row = correlation(covariance, y * 9 + left, y * 9 + left + 4);
      const double along_column = correlation(covariance, top * 9 + x, (top + 2) * 9 + x);
      ASSERT_GT(std::min(along_row, along_column), 0.0);
      EXPECT_NEAR(
          lengths.along_rows[0][0][y][x].item<double>() / (-4.0 / std::log(along_row)), 1.0, 1e-8);
      EXPECT_NEAR(
          lengths.along_columns[0][0][y][x].item<double>() / (-2.0 / std::log(along_column)),
          1.0,
          1e-8);
    }
  }
}

TEST(CorrelationLength, IsZeroForIndependentPixelsAndNegativeCorrelations) {
  const CorrelationLengths independent =
      lengths_of(test::random_gaussian(0, {.batch = 1, .height = 4, .width = 5}, 3));
  EXPECT_EQ(independent.along_rows.abs().sum().item<double>(), 0.0);
  EXPECT_EQ(independent.along_columns.sizes(), at::IntArrayRef({1, 1, 4, 5}));

  LocalCovariances negative = local_correlations(
      local_covariances(test::random_gaussian(1, {.batch = 1, .height = 4, .width = 5}, 3)));
  negative.values.select(1, negative.channel({0, 2})).fill_(-0.5);
  negative.values.select(1, negative.channel({1, 0})).fill_(1.0);
  const CorrelationLengths lengths = correlation_lengths(negative);
  EXPECT_EQ(lengths.along_rows.abs().sum().item<double>(), 0.0);
  EXPECT_TRUE(lengths.along_columns.isinf().all().item<bool>());
}

TEST(CorrelationLength, TakesShorterLagsInNarrowImages) {
  const StructuredGaussian gaussian =
      test::smooth_gaussian(2, {.batch = 1, .height = 5, .width = 3});
  const at::Tensor covariance = test::dense_covariance(gaussian);
  const double rho = correlation(covariance, 0, 1);
  EXPECT_NEAR(lengths_of(gaussian).along_rows[0][0][0][0].item<double>() / (-1.0 / std::log(rho)),
              1.0,
              1e-8);
}

}  // namespace
}  // namespace supn
