#include "supn/gaussian/sample.hpp"

#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/zeros_like.h>

#include "gaussian_fixture.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn::test {
namespace {

const std::vector<std::uint64_t> kSeeds{21, 22};

class Sample : public GaussianTest {};

TEST_P(Sample, IsColouredNoise) {
  const StructuredGaussian g = gaussian();
  const SampleOptions options{.range = {3, 4}};
  const Samples drawn = sample(g, kSeeds, options);
  const at::Tensor eps = standard_normal(kSeeds, options.range, g.size(), g.mean().options());
  EXPECT_TRUE(drawn.values.equal(colour(g, eps)));
  EXPECT_EQ(drawn.report.iterations, 1);
  EXPECT_EQ(drawn.report.non_finite, 0);
  EXPECT_TRUE(drawn.report.converged());
}

TEST_P(Sample, BitsDoNotDependOnBatchCountAndThreads) {
  const StructuredGaussian g = gaussian({2, 37, 53});
  const ThreadCount one(1);
  const at::Tensor forty = sample(g, kSeeds, {.range = {0, 40}}).values;
  const ThreadCount many(2);
  EXPECT_TRUE(sample(g, kSeeds, {.range = {0, 40}}).values.equal(forty));
  const std::vector<std::uint64_t> second{kSeeds[1]};
  const at::Tensor single = sample(g.image(1), second, {.range = {17, 1}}).values;
  EXPECT_TRUE(single[0][0].equal(forty[1][17]));
}

TEST_P(Sample, ByJacobiAtTheDepthIsTheExactSampleBitwise) {
  const StructuredGaussian g = gaussian();
  const std::int64_t depth = g.neighbourhood().exact_sweeps(g.height(), g.width());
  const SampleOptions jacobi{SampleMethod::kJacobi, depth, {0, 2}};
  const Samples drawn = sample(g, kSeeds, jacobi);
  EXPECT_TRUE(drawn.values.equal(sample(g, kSeeds, {.range = {0, 2}}).values));
  EXPECT_EQ(drawn.report.iterations, depth);
}

INSTANTIATE_TEST_SUITE_P(All, Sample, testing::ValuesIn(all_cases()), case_name);

TEST(Sample, HasTheMeanAndCovarianceOfTheGaussian) {
  const StructuredGaussian g = random_gaussian(1, {1, 3, 4});
  const std::int64_t count = 40000;
  const at::Tensor x =
      sample(g, std::vector<std::uint64_t>{5}, {.range = {0, count}}).values.reshape({count, 12});
  const at::Tensor transpose = dense_factor_transpose(g, 0);
  const at::Tensor covariance = at::linalg_inv(transpose.t().matmul(transpose));
  const at::Tensor centred = x.sub(g.mean().reshape({1, 12}));
  const at::Tensor empirical = centred.t().matmul(centred).div(static_cast<double>(count));
  const double error = 5 * largest(covariance) * std::sqrt(2.0 / static_cast<double>(count));
  EXPECT_LT(largest_difference(empirical, covariance), error);
  EXPECT_LT(largest(centred.mean(0)), error);
}

TEST(Sample, ByJacobiReportsThatATruncationOverflowed) {
  const StructuredGaussian g = random_gaussian(2, {1, 40, 40}).to(at::kFloat);
  const StructuredGaussian strong(g.mean(),
                                  at::zeros_like(g.log_diagonal()),
                                  at::full_like(g.off_diagonal(), -10.0),
                                  g.neighbourhood());
  const SampleOptions options{SampleMethod::kJacobi, 100, {0, 1}};
  const Samples drawn = sample(strong, std::vector<std::uint64_t>{5}, options);
  EXPECT_GT(drawn.report.non_finite, 0);
  EXPECT_FALSE(drawn.report.converged());
}

TEST(SampleContract, WantsOneSeedPerImage) {
  EXPECT_THROW(sample(random_gaussian(1), std::vector<std::uint64_t>{5}, {}), c10::Error);
}

}  // namespace
}  // namespace supn::test
