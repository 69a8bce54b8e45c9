#include "supn/gaussian/sample.hpp"

#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/zeros_like.h>

#include "gaussian_fixture.hpp"
#include "instruction_set_fixture.hpp"
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

// A sample alone is shared out to threads by rows; its report does not depend on them either.
TEST_P(Sample, AloneHasTheBitsOfAGroupForAnyThreads) {
  const StructuredGaussian g = gaussian({1, 43, 134});
  const std::vector<std::uint64_t> seed{kSeeds[0]};
  const ThreadCount one(1);
  const at::Tensor group = sample(g, seed, {.range = {0, 16}}).values;
  const double residual = sample(g, seed, {.range = {5, 1}}).report.relative_residual;
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadCount count(threads);
    const Samples alone = sample(g, seed, {.range = {5, 1}});
    EXPECT_TRUE(alone.values[0][0].equal(group[0][5])) << threads;
    EXPECT_EQ(alone.report.relative_residual, residual) << threads;
  }
}

// Without a gradient samples are drawn, solved and checked tile by tile; with one, by whole
// tensors.
TEST_P(Sample, HasTheBitsAndTheReportOfWholeTensors) {
  for (const ImageSize& size :
       std::vector<ImageSize>{{1, 1}, {5, 3}, {9, 22}, {6, 37}, {8, 64}, {19, 77}}) {
    const StructuredGaussian g = gaussian({2, size.height, size.width});
    const StructuredGaussian tracked(
        g.mean().clone().requires_grad_(), g.log_diagonal(), g.off_diagonal(), g.neighbourhood());
    for (const std::int64_t count : {1, 7, 45}) {
      const SampleOptions options{.range = {2, count}};
      const Samples expected = in_portable_form([&] { return sample(tracked, kSeeds, options); });
      const double residual = expected.report.relative_residual;
      for_each_instruction_set([&] {
        const Samples drawn = sample(g, kSeeds, options);
        EXPECT_TRUE(drawn.values.equal(expected.values))
            << size.height << "x" << size.width << " " << count;
        EXPECT_FALSE(drawn.values.requires_grad());
        if (GetParam().neighbourhood.is_raster()) {
          EXPECT_NEAR(drawn.report.relative_residual, residual, 1e-6 * residual);
        } else {
          // Planes measure the residual with 1/e^−φ in place of e^φ, whose rounding they do not see.
          EXPECT_LE(drawn.report.relative_residual, 2 * residual + 1e-300);
          EXPECT_GE(drawn.report.relative_residual, 0.05 * residual);
        }
      });
    }
  }
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

// Results of this size are written past the caches.
TEST(Sample, HasTheSameBitsAmongManyLargeOnes) {
  const StructuredGaussian g = random_gaussian(2, {1, 130, 832}).to(at::kFloat);
  const std::vector<std::uint64_t> seeds{5};
  SampleOptions many;
  many.range = {3, 43};
  const at::Tensor values = sample(g, seeds, many).values;
  for (const std::int64_t s : {0, 7, 31, 32, 42}) {
    SampleOptions one;
    one.range = {3 + s, 1};
    EXPECT_TRUE(values.narrow(1, s, 1).equal(sample(g, seeds, one).values)) << s;
  }
}

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

TEST(Sample, CountsWhatIsNotFinite) {
  const StructuredGaussian g = random_gaussian(2, {1, 40, 40}).to(at::kFloat);
  const StructuredGaussian strong(g.mean(),
                                  at::zeros_like(g.log_diagonal()),
                                  at::full_like(g.off_diagonal(), -10.0),
                                  g.neighbourhood());
  const Samples drawn = sample(strong, std::vector<std::uint64_t>{5}, {.range = {0, 9}});
  EXPECT_EQ(drawn.report.non_finite,
            drawn.values.isfinite().logical_not().sum().item<std::int64_t>());
  EXPECT_GT(drawn.report.non_finite, 0);
  EXPECT_FALSE(drawn.report.converged());
}

TEST(SampleContract, WantsOneSeedPerImage) {
  EXPECT_THROW(sample(random_gaussian(1), std::vector<std::uint64_t>{5}, {}), c10::Error);
  EXPECT_THROW(sample(random_gaussian(1), kSeeds, {.range = {0, 0}}), c10::Error);
}

}  // namespace
}  // namespace supn::test
