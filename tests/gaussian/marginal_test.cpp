#include "supn/gaussian/marginal.hpp"

#include "dense_oracle.hpp"
#include "golden_fixture.hpp"

namespace supn::test {
namespace {

using Marginal = ByOrder;

TEST_P(Marginal, VarianceIsTheDenseDiagonal) {
  // Sizes around the panel's 32 columns, images narrower and lower than the window.
  const std::vector<GaussianShape> shapes{
      {2, 6, 8}, {1, 1, 1}, {1, 1, 9}, {1, 9, 1}, {1, 7, 2}, {1, 5, 32}, {1, 4, 33}, {1, 4, 71}};
  for (const GaussianShape& shape : shapes) {
    const StructuredGaussian g = random_gaussian(GetParam(), shape);
    EXPECT_LT(relative_error(marginal_variance(g), dense_variance(g)), 1e-12)
        << shape.height << " × " << shape.width;
  }
}

TEST_P(Marginal, VarianceOfASmoothFieldKeepsItsDigits) {
  if (!GetParam().is_raster() || GetParam().is_diagonal()) {
    GTEST_SKIP() << "the field is one of a raster order with neighbours";
  }
  const StructuredGaussian g = smooth_gaussian(GetParam().radius(), {1, 12, 40});
  const at::Tensor variance = marginal_variance(g);
  EXPECT_GT(largest(variance) * 900, 20);  // against e^−2φ alone
  EXPECT_LT(relative_error(variance, dense_variance(g)), 1e-10);
}

TEST_P(Marginal, VarianceDoesNotDependOnThreads) {
  const StructuredGaussian g = random_gaussian(GetParam(), {1, 9, 150});
  const ThreadCount one(1);
  const at::Tensor single = marginal_variance(g);
  const ThreadCount two(2);
  EXPECT_TRUE(marginal_variance(g).equal(single));
}

TEST_P(Marginal, LocalCovariancesAreTheDenseEntries) {
  const StructuredGaussian g = random_gaussian(GetParam());
  const std::int64_t r = GetParam().is_raster() ? GetParam().radius() : 2;
  const LocalCovariances local = local_covariances(g);
  ASSERT_EQ(local.values.size(1), 2 * r + 1 + r * (4 * r + 1));
  for (std::int64_t b = 0; b < g.batch(); ++b) {
    const at::Tensor sigma = dense_covariance(g, b);
    const auto expected = sigma.accessor<double, 2>();
    const auto values = local.values.accessor<double, 4>();
    for (std::size_t c = 0; c < local.offsets.size(); ++c) {
      const auto [dy, dx] = local.offsets[c];
      EXPECT_EQ(local.channel({dy, dx}), static_cast<std::int64_t>(c));
      for (std::int64_t n = 0; n < g.pixels(); ++n) {
        const std::int64_t y = n / g.width() + dy;
        const std::int64_t x = n % g.width() + dx;
        const bool inside = y < g.height() && x >= 0 && x < g.width();
        const double value = values[b][static_cast<std::int64_t>(c)][n / g.width()][n % g.width()];
        ASSERT_NEAR(value, inside ? expected[n][y * g.width() + x] : 0.0, 1e-12);
      }
    }
  }
}

TEST_P(Marginal, LocalCorrelationsAreScaledCovariances) {
  const StructuredGaussian g = random_gaussian(GetParam(), {1, 3, 5});
  const LocalCovariances covariances = local_covariances(g);
  const LocalCovariances correlations = local_correlations(covariances);
  const auto covariance = covariances.values.accessor<double, 4>();
  const auto correlation = correlations.values.accessor<double, 4>();
  for (std::size_t i = 0; i < correlations.offsets.size(); ++i) {
    const auto [dy, dx] = correlations.offsets[i];
    const auto c = static_cast<std::int64_t>(i);
    for (std::int64_t y = 0; y < 3; ++y) {
      for (std::int64_t x = 0; x < 5; ++x) {
        const bool inside = y + dy < 3 && x + dx >= 0 && x + dx < 5;
        const double expected =
            inside ? covariance[0][c][y][x] /
                         std::sqrt(covariance[0][0][y][x] * covariance[0][0][y + dy][x + dx])
                   : 0.0;
        ASSERT_NEAR(correlation[0][c][y][x], expected, 1e-14);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Marginal, testing::ValuesIn(small_orders()), small_order_name);

TEST(MarginalVariance, IsFloat64WithoutAGraphWhateverTheInput) {
  const StructuredGaussian g = random_gaussian(2).to(at::kFloat);
  const StructuredGaussian leaf(
      g.mean(), g.log_diagonal().requires_grad_(), g.off_diagonal(), g.neighbourhood());
  const at::Tensor variance = marginal_variance(leaf);
  EXPECT_EQ(variance.scalar_type(), at::kDouble);
  EXPECT_FALSE(variance.requires_grad());
  EXPECT_LT(relative_error(variance, dense_variance(g)), 1e-12);
}

TEST(MarginalVariance, IgnoresWhatMapsHoldForNeighboursOutside) {
  const StructuredGaussian g = random_gaussian(2);
  const at::Tensor psi = g.off_diagonal().clone();
  psi.select(1, 0).select(2, g.width() - 1).fill_(NAN);
  psi.narrow(1, 2, 10).select(2, g.height() - 1).fill_(INFINITY);
  const StructuredGaussian spoiled(g.mean(), g.log_diagonal(), psi, g.neighbourhood());
  EXPECT_TRUE(marginal_variance(spoiled).equal(marginal_variance(g)));
}

TEST(LocalCovariances, RefuseAnOffsetThatIsNotThere) {
  const LocalCovariances local = local_covariances(random_gaussian(1));
  EXPECT_THROW(local.channel({0, -1}), c10::Error);
}

using GoldenMarginal = GoldenGaussian;

TEST_P(GoldenMarginal, Variance) {
  EXPECT_LT(largest_difference(marginal_variance(gaussian()), field("variance")), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Radius, GoldenMarginal, testing::Values(1, 2));

}  // namespace
}  // namespace supn::test
