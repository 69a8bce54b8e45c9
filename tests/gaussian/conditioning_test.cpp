#include "supn/gaussian/conditioning.hpp"

#include <ATen/ops/arange.h>
#include <gmock/gmock.h>

#include "conditioning_fixture.hpp"
#include "golden_fixture.hpp"
#include "message_of.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn::test {
namespace {

TEST(ConditionedGaussian, GivesDenseDistancesOfExactObservations) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const Observations observations = exact_observations();
  const DenseConditioning dense(g, observations);
  const at::Tensor distances = ConditionedGaussian(g, observations, by(Method::kDense)).distances();
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(distances[i].item<double>(), dense.distance(i), kTolerance);
  }
  EXPECT_THROW(ConditionedGaussian(g, observations, by(Method::kSparse)).distances(), c10::Error);
}

TEST(ConditionedGaussian, FindsTheOutlier) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  at::Tensor values = g.mean().view({-1}).index_select(0, indices({1, 9, 17, 25, 33})).clone();
  values[3] += 20.0;
  const at::Tensor distances =
      ConditionedGaussian(g, {indices({1, 9, 17, 25, 33}), values, numbers({0.01})}).distances();
  EXPECT_EQ(distances.argmax().item<std::int64_t>(), 3);
  EXPECT_GT(distances[3].item<double>(), 5.0);
}

TEST(ConditionedGaussian, KeepsColumnsFromOneToTheNext) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const auto columns = std::make_shared<CovarianceColumns>(g, 3);
  const auto mean_at = [&](std::vector<std::int64_t> pixels, ConditioningOptions options) {
    const at::Tensor values = numbers(std::vector<double>(pixels.size(), 0.5));
    return ConditionedGaussian(g, {indices(pixels), values, numbers({0.1})}, options).mean();
  };
  const auto expect_same = [&](std::vector<std::int64_t> pixels) {
    EXPECT_LT(largest_difference(mean_at(pixels, {.columns = columns}),
                                 mean_at(pixels, by(Method::kDense))),
              kTolerance);
  };
  expect_same({40});
  expect_same({40, 3});
  EXPECT_EQ(columns->all().size(0), 2);
  ConditionedGaussian earlier(
      g, {indices({40}), numbers({0.5}), numbers({0.1})}, {.columns = columns});
  const at::Tensor before = earlier.variance().clone();
  expect_same({17, 18});  // no room beside the others
  EXPECT_EQ(columns->all().size(0), 2);
  EXPECT_TRUE(earlier.variance().equal(before));
  expect_same({1, 2, 5, 7});  // more than the capacity: without
  EXPECT_EQ(columns->all().size(0), 2);
  const auto many = std::make_shared<CovarianceColumns>(g, 48);
  many->rows_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  const std::vector<std::int64_t> rows = many->rows_of({20, 19});
  EXPECT_EQ(many->all().size(0), 2);  // the others are forgotten
  EXPECT_LT(
      largest_difference(many->all()[rows[0]], covariance_columns(g, indices({20})).view({-1})),
      kTolerance);
  const StructuredGaussian other = random_gaussian(2, {1, 6, 8});
  EXPECT_THROW(ConditionedGaussian(other, exact_observations(), {.columns = columns}), c10::Error);
}

TEST(ConditionedGaussian, SamplesHaveThePosteriorsMoments) {
  const StructuredGaussian g = random_gaussian(1, {1, 4, 5});
  const Observations observations{indices({3, 11}), numbers({2.0, -1.0}), numbers({0.0, 0.25})};
  ConditionedGaussian ours(g, observations);
  const std::int64_t count = 20000;
  const at::Tensor samples = ours.samples(1, {0, count});
  const at::Tensor deviation = ours.variance().sqrt();
  const double error = 5.0 / std::sqrt(static_cast<double>(count));
  EXPECT_LT(largest(samples.mean(1, true).sub(ours.mean())), error * largest(deviation));
  EXPECT_LT(largest_difference(samples.var(1, true, true), ours.variance()),
            error * std::sqrt(2.0) * largest(ours.variance()));
}

TEST(ConditionedGaussian, TakesTheMethodByCost) {
  const StructuredGaussian g = random_gaussian(2, {1, 24, 32});
  const at::Tensor noise = numbers({0.1});
  const Observations few{indices({3, 500}), numbers({0.5, -0.5}), noise};
  const Observations all{at::arange(24 * 32), random_tensor({24 * 32}, 8), noise};
  ConditionedGaussian dense(g, few);
  dense.mean();
  EXPECT_EQ(dense.report().method, Method::kDense);
  ConditionedGaussian sparse(g, all);
  EXPECT_LT(
      largest_difference(sparse.mean(), ConditionedGaussian(g, all, by(Method::kDense)).mean()),
      kTolerance);
  EXPECT_EQ(sparse.report().method, Method::kSparse);
}

TEST(ConditionedGaussian, StartsFromTheVarianceItIsGiven) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const at::Tensor prior = marginal_variance(g);
  ConditioningOptions options = by(Method::kDense);
  const at::Tensor expected = ConditionedGaussian(g, mixed_observations(), options).variance();
  options.prior_variance = prior.clone();
  ConditionedGaussian ours(g, mixed_observations(), options);
  EXPECT_TRUE(ours.variance().equal(expected));
  EXPECT_TRUE(ours.variance().equal(expected));
  EXPECT_TRUE(options.prior_variance.equal(prior));
  options.prior_variance = prior[0];
  EXPECT_THROW(ConditionedGaussian(g, mixed_observations(), options), c10::Error);
}

TEST(ConditionedGaussian, TakesConjugateGradientsWhereNoFactorFits) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const DenseConditioning dense(g, mixed_observations());
  ConditionedGaussian ours(g, mixed_observations(), {.memory_limit = 500});
  EXPECT_LT(largest_difference(ours.mean(), dense.mean()), 1e-7);
  EXPECT_EQ(ours.report().method, Method::kPcg);
  EXPECT_GT(ours.report().iterations, 0);
  EXPECT_TRUE(ours.report().converged);
  EXPECT_THROW(ours.variance(), c10::Error);
}

TEST(ConditionedGaussian, SaysThatConjugateGradientsFailedWhenThereIsNoMemory) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  ConditionedGaussian ours(g, mixed_observations(), {.memory_limit = 500, .max_iterations = 1});
  ours.mean();
  EXPECT_FALSE(ours.report().converged);
  EXPECT_GT(ours.report().relative_residual, 1e-9);
  EXPECT_THAT(ours.report().note, testing::HasSubstr("after 1 iterations"));
  EXPECT_THAT(ours.report().note, testing::HasSubstr("a factor would take"));
  EXPECT_THROW(ours.variance(), c10::Error);
}

// More observations than a dense matrix is taken for: seven of eight pixels, some of them exact.
Observations many_observations(const StructuredGaussian& g) {
  std::vector<std::int64_t> pixels;
  for (std::int64_t i = 0; i < g.pixels(); ++i) {
    if (i % 8 != 3) pixels.push_back(i);
  }
  const auto count = static_cast<std::int64_t>(pixels.size());
  at::Tensor noise = random_tensor({count}, 8).square().add(0.01);
  noise.slice(0, 0, count, 50).zero_();
  return {indices(pixels), random_tensor({count}, 7), noise};
}

TEST(ConditionedGaussian, TakesConjugateGradientsForManyPixelsFromCoarseToFine) {
  const StructuredGaussian g =
      random_gaussian(Neighbourhood(CoarseToFine{.levels = 4}), {1, 60, 80});
  const Observations observations = many_observations(g);
  ASSERT_GT(observations.pixels.numel(), 4096);
  ConditionedGaussian ours(g, observations);
  ConditionedGaussian dense(g, observations, by(Method::kDense));
  EXPECT_LT(largest_difference(ours.mean(), dense.mean()), 1e-7);
  EXPECT_LT(largest_difference(ours.samples(3, {0, 2}), dense.samples(3, {0, 2})), 1e-7);
  EXPECT_EQ(ours.report().method, Method::kPcg);
  EXPECT_TRUE(ours.report().converged);
  EXPECT_GT(ours.report().iterations, 1);
  EXPECT_LT(largest_difference(ours.variance(), dense.variance()), 1e-9);
}

TEST(ConditionedGaussian, TakesTheDenseMethodWhereConjugateGradientsFail) {
  const StructuredGaussian g =
      random_gaussian(Neighbourhood(CoarseToFine{.levels = 4}), {1, 60, 80});
  const Observations observations = many_observations(g);
  ConditionedGaussian ours(g, observations, {.max_iterations = 1});
  ConditionedGaussian dense(g, observations, by(Method::kDense));
  EXPECT_LT(largest_difference(ours.mean(), dense.mean()), 1e-9);
  EXPECT_EQ(ours.report().method, Method::kDense);
  EXPECT_TRUE(ours.report().converged);
  EXPECT_THAT(ours.report().note, testing::HasSubstr("the dense method was taken"));
}

TEST(ConditionedGaussian, KeepsItsDigitsOnASmoothField) {
  const StructuredGaussian g = smooth_gaussian(2, {1, 12, 16});
  const Observations observations{
      indices({5, 40, 90, 91, 150}), random_tensor({5}, 6), numbers({0, 0.01, 0, 0.1, 0})};
  const DenseConditioning dense(g, observations);
  for (const Method method : {Method::kDense, Method::kSparse}) {
    ConditionedGaussian ours(g, observations, by(method));
    EXPECT_LT(largest_difference(ours.mean(), dense.mean()), 1e-8);
    EXPECT_LT(largest_difference(ours.variance(), dense.variance()), 1e-8);
  }
}

void expect_error(const Observations& observations, const std::string& part) {
  try {
    ConditionedGaussian(random_gaussian(1, {1, 6, 8}), observations);
    ADD_FAILURE() << "no error that says: " << part;
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

TEST(ConditionedGaussianContract, NamesWhatIsWrongWithObservations) {
  expect_error({indices({3, 9, 3}), numbers({1, 2, 4}), {}}, "contradict each other: 1 and 4");
  expect_error({indices({3}), numbers({NAN}), {}}, "the value of observation 0 is nan");
  expect_error({indices({3, 4}), numbers({1, INFINITY}), {}}, "the value of observation 1 is inf");
  expect_error({indices({3}), numbers({1}), numbers({-0.5})}, "got -0.5");
  expect_error({indices({3}), numbers({1}), numbers({NAN})}, "got nan");
  expect_error({indices({48}), numbers({1}), {}}, "outside the image");
  expect_error({indices({3, 4}), numbers({1}), {}}, "values must be [2]");
  expect_error({indices({3, 4}), numbers({1, 2}), numbers({1, 2, 3})},
               "noise_variance must be [2]");
  expect_error({numbers({3}), numbers({1}), {}}, "pixels must be int64");
}

TEST(ConditionedGaussianContract, NamesWhatIsWrongWithACommonUnknown) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const auto with = [&](const at::Tensor& column, double std) {
    ConditionedGaussian(g, noisy_observations(), {.common = {column, std}});
  };
  EXPECT_THROW(with(at::ones({6, 8}, at::kDouble), 1.0), c10::Error);
  EXPECT_THROW(with(at::ones({1, 1, 6, 8}, at::kDouble).div(0.0), 1.0), c10::Error);
  EXPECT_THROW(with(at::ones({1, 1, 6, 8}, at::kDouble), -1.0), c10::Error);
}

TEST(ConditionedGaussianContract, TakesOneImage) {
  EXPECT_THROW(ConditionedGaussian(random_gaussian(1), exact_observations()), c10::Error);
}

TEST(ConditionedGaussianContract, WantsNoiseForEverySampleAndObservation) {
  ConditionedGaussian ours(random_gaussian(1, {1, 6, 8}), exact_observations());
  EXPECT_THROW(ours.condition_draws(random_tensor({1, 2, 6, 8}, 1), random_tensor({2, 4}, 2)),
               c10::Error);
  EXPECT_THROW(ours.condition_draws(random_tensor({1, 2, 6, 7}, 1), random_tensor({2, 5}, 2)),
               c10::Error);
}

TEST(ConditionedGaussianContract, SaysWhatIsWrongWithAFactorFromCoarseToFine) {
  const StructuredGaussian g = random_gaussian(Neighbourhood(CoarseToFine{}), {1, 6, 8});
  const auto fault = [](const StructuredGaussian& gaussian, Method method) {
    return message_of<c10::Error>(
        [&] { ConditionedGaussian(gaussian, noisy_observations(), by(method)).mean(); });
  };
  EXPECT_THAT(fault(g, Method::kSparse), testing::HasSubstr("needs the raster order"));
  const StructuredGaussian unknown(
      g.mean(), g.log_diagonal().mul(NAN), g.off_diagonal(), g.neighbourhood());
  EXPECT_THAT(fault(unknown, Method::kAuto), testing::HasSubstr("or not finite"));
}

class GoldenConditioning : public GoldenGaussian {
 protected:
  Observations observations(double deviation) const {
    return {fixture("known_index"), fixture("known_value"), numbers({deviation * deviation})};
  }
};

TEST_P(GoldenConditioning, MeanVarianceAndSamples) {
  for (const auto& [name, deviation] : {std::pair{"exact", 0.0}, std::pair{"noise0.1", 0.1}}) {
    for (const Method method : {Method::kDense, Method::kSparse, Method::kPcg}) {
      ConditionedGaussian ours(gaussian(), observations(deviation), by(method));
      const auto expected = [&, suffix = std::string("_") + name](const std::string& what) {
        return field("cond_" + what + suffix);
      };
      EXPECT_LT(largest_difference(ours.mean(), expected("mean")), 1e-10);
      EXPECT_LT(largest_difference(ours.condition_draws(field("sample"), fixture("eta")),
                                   expected("sample")),
                1e-10);
      if (method == Method::kPcg) continue;
      EXPECT_LT(largest_difference(ours.variance(), expected("variance")), 1e-10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Radius, GoldenConditioning, testing::Values(1, 2));

}  // namespace
}  // namespace supn::test
