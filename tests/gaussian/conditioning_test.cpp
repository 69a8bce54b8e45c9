#include "supn/gaussian/conditioning.hpp"

#include <ATen/ops/arange.h>
#include <gmock/gmock.h>

#include "conditioning_fixture.hpp"
#include "golden_fixture.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn::test {
namespace {

using Method = ConditioningMethod;

constexpr double kTolerance = 1e-10;

ConditioningOptions by(Method method) { return {.method = method, .tolerance = 1e-13}; }

struct ConditioningCase {
  std::int64_t radius;
  Method method;
};

void PrintTo(const ConditioningCase& c, std::ostream* out) {
  *out << "radius " << c.radius << " method " << static_cast<int>(c.method);
}

class Conditioning : public testing::TestWithParam<ConditioningCase> {
 protected:
  StructuredGaussian gaussian() const { return random_gaussian(GetParam().radius, {1, 6, 8}); }
  ConditionedGaussian conditioned(const Observations& observations) const {
    return {gaussian(), observations, by(GetParam().method)};
  }
  bool factored() const { return GetParam().method != Method::kPcg; }
};

TEST_P(Conditioning, MeanIsTheDenseOne) {
  for (const auto& observations :
       {exact_observations(), noisy_observations(), mixed_observations()}) {
    const DenseConditioning dense(gaussian(), observations);
    ConditionedGaussian ours = conditioned(observations);
    EXPECT_LT(largest_difference(ours.mean(), dense.mean()), kTolerance);
    EXPECT_TRUE(ours.report().converged);
    EXPECT_EQ(ours.report().method, GetParam().method);
    EXPECT_EQ(ours.report().note, "");
  }
}

TEST_P(Conditioning, ConditionedDrawsAreTheDenseOnes) {
  const at::Tensor draws = random_tensor({1, 3, 6, 8}, 41);
  const Observations observations = mixed_observations();
  const at::Tensor noise = random_tensor({3, 6}, 42);
  const DenseConditioning dense(gaussian(), observations);
  const at::Tensor ours = conditioned(observations).condition_draws(draws, noise);
  for (std::int64_t s = 0; s < 3; ++s) {
    EXPECT_LT(largest_difference(ours[0][s], dense.sample(draws[0][s], noise[s])[0][0]),
              kTolerance);
  }
}

TEST_P(Conditioning, VarianceIsTheDenseOne) {
  if (!factored()) {
    EXPECT_THROW(conditioned(mixed_observations()).variance(), c10::Error);
    return;
  }
  for (const auto& observations :
       {exact_observations(), noisy_observations(), mixed_observations()}) {
    const DenseConditioning dense(gaussian(), observations);
    EXPECT_LT(largest_difference(conditioned(observations).variance(), dense.variance()),
              kTolerance);
  }
}

TEST_P(Conditioning, EvidenceIsTheDenseOne) {
  if (!factored()) {
    EXPECT_THROW(conditioned(mixed_observations()).log_evidence(), c10::Error);
    return;
  }
  for (const auto& observations :
       {exact_observations(), noisy_observations(), mixed_observations()}) {
    const DenseConditioning dense(gaussian(), observations);
    EXPECT_NEAR(conditioned(observations).log_evidence(), dense.log_evidence(), kTolerance);
  }
}

TEST_P(Conditioning, DistancesAreThoseOfLeavingOneOut) {
  const Observations noisy = noisy_observations();
  if (!factored()) {
    EXPECT_THROW(conditioned(noisy).distances(), c10::Error);
    return;
  }
  const at::Tensor distances = conditioned(noisy).distances();
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(
        distances[i].item<double>(), DenseConditioning(gaussian(), noisy).distance(i), kTolerance);
  }
}

TEST_P(Conditioning, ExactPixelsHaveExactlyTheirValueAndNoVariance) {
  const Observations observations = exact_observations();
  ConditionedGaussian ours = conditioned(observations);
  const at::Tensor samples = ours.samples(5, {0, 2});
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t pixel = observations.pixels[i].item<std::int64_t>();
    const double value = observations.values[i].item<double>();
    EXPECT_EQ(ours.mean().view({-1})[pixel].item<double>(), value);
    EXPECT_EQ(samples[0][1].reshape({-1})[pixel].item<double>(), value);
    if (!factored()) continue;
    EXPECT_EQ(ours.variance().view({-1})[pixel].item<double>(), 0.0);
  }
}

TEST_P(Conditioning, AllPixelsKnownLeavesTheirValues) {
  const StructuredGaussian g = gaussian();
  const at::Tensor values = random_tensor({48}, 51);
  const Observations all{at::arange(48), values, {}};
  ConditionedGaussian ours = conditioned(all);
  EXPECT_TRUE(ours.mean().view({-1}).equal(values));
  EXPECT_TRUE(ours.samples(1, {0, 1}).view({-1}).equal(values));
  if (!factored()) return;
  EXPECT_EQ(largest(ours.variance()), 0.0);
  EXPECT_NEAR(ours.log_evidence(), log_prob(g, values.view({1, 1, 6, 8})).item<double>(), 1e-9);
}

TEST_P(Conditioning, NonePixelsKnownLeavesThePrior) {
  const StructuredGaussian g = gaussian();
  ConditionedGaussian ours = conditioned({indices({}), numbers({}), {}});
  EXPECT_TRUE(ours.mean().equal(g.mean()));
  EXPECT_TRUE(ours.variance().equal(marginal_variance(g)));
  const std::vector<std::uint64_t> seeds{9};
  EXPECT_TRUE(ours.samples(9, {2, 3}).equal(sample(g, seeds, {.range = {2, 3}}).values));
  EXPECT_EQ(ours.log_evidence(), 0.0);
  EXPECT_EQ(ours.distances().numel(), 0);
}

TEST_P(Conditioning, AnExactValueGivenTwiceCountsOnce) {
  const Observations once{indices({3, 17}), numbers({0.5, 1.5}), {}};
  const Observations twice{indices({3, 17, 3}), numbers({0.5, 1.5, 0.5}), {}};
  ConditionedGaussian expected = conditioned(once);
  ConditionedGaussian ours = conditioned(twice);
  EXPECT_TRUE(ours.mean().equal(expected.mean()));
  if (!factored()) return;
  EXPECT_EQ(ours.log_evidence(), expected.log_evidence());
  if (GetParam().method == Method::kBanded) return;
  const at::Tensor distances = ours.distances();
  EXPECT_TRUE(distances.narrow(0, 0, 2).equal(expected.distances()));
  EXPECT_EQ(distances[2].item<double>(), 0.0);
}

TEST_P(Conditioning, ASampleDoesNotDependOnItsRange) {
  ConditionedGaussian ours = conditioned(mixed_observations());
  const at::Tensor five = ours.samples(7, {10, 5});
  EXPECT_LT(largest_difference(ours.samples(7, {12, 1})[0][0], five[0][2]), kTolerance);
  EXPECT_GT(largest_difference(five[0][1], five[0][2]), 0.1);
}

std::vector<ConditioningCase> conditioning_cases() {
  std::vector<ConditioningCase> cases;
  for (std::int64_t radius = 0; radius <= 3; ++radius) {
    for (const Method method : {Method::kDense, Method::kBanded, Method::kPcg}) {
      cases.push_back({radius, method});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Conditioning, testing::ValuesIn(conditioning_cases()));

TEST(ConditionedGaussian, GivesDenseDistancesOfExactObservations) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const Observations observations = exact_observations();
  const DenseConditioning dense(g, observations);
  const at::Tensor distances = ConditionedGaussian(g, observations, by(Method::kDense)).distances();
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(distances[i].item<double>(), dense.distance(i), kTolerance);
  }
  EXPECT_THROW(ConditionedGaussian(g, observations, by(Method::kBanded)).distances(), c10::Error);
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

TEST(ConditionedGaussian, TakesTheMethodBySize) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  ConditioningOptions options;
  ConditionedGaussian small(g, mixed_observations(), options);
  small.mean();
  EXPECT_EQ(small.report().method, Method::kDense);
  options.dense_limit = 5;
  ConditionedGaussian large(g, mixed_observations(), options);
  const at::Tensor mean = large.mean();
  EXPECT_EQ(large.report().method, Method::kPcg);
  EXPECT_GT(large.report().iterations, 0);
  EXPECT_LE(large.report().relative_residual, options.tolerance);
  EXPECT_LT(largest_difference(mean, small.mean()), 1e-7);
  EXPECT_LT(largest_difference(large.variance(), small.variance()), kTolerance);
}

TEST(ConditionedGaussian, FallsBackWhenConjugateGradientsFail) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  const DenseConditioning dense(g, mixed_observations());
  ConditionedGaussian ours(g, mixed_observations(), {.dense_limit = 0, .max_iterations = 1});
  EXPECT_LT(largest_difference(ours.mean(), dense.mean()), kTolerance);
  EXPECT_EQ(ours.report().method, Method::kBanded);
  EXPECT_TRUE(ours.report().converged);
  EXPECT_THAT(ours.report().note, testing::HasSubstr("1 iterations"));
}

TEST(ConditionedGaussian, SaysThatConjugateGradientsFailedWhenThereIsNoMemory) {
  const StructuredGaussian g = random_gaussian(2, {1, 6, 8});
  ConditionedGaussian ours(
      g, mixed_observations(), {.dense_limit = 0, .memory_limit = 1000, .max_iterations = 1});
  ours.mean();
  EXPECT_FALSE(ours.report().converged);
  EXPECT_GT(ours.report().relative_residual, 1e-9);
  EXPECT_THAT(ours.report().note, testing::HasSubstr("band factor would take"));
  EXPECT_THROW(ours.variance(), c10::Error);
}

TEST(ConditionedGaussian, KeepsItsDigitsOnASmoothField) {
  const StructuredGaussian g = smooth_gaussian(2, {1, 12, 16});
  const Observations observations{
      indices({5, 40, 90, 91, 150}), random_tensor({5}, 6), numbers({0, 0.01, 0, 0.1, 0})};
  const DenseConditioning dense(g, observations);
  for (const Method method : {Method::kDense, Method::kBanded}) {
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

class GoldenConditioning : public GoldenGaussian {
 protected:
  Observations observations(double deviation) const {
    return {fixture("known_index"), fixture("known_value"), numbers({deviation * deviation})};
  }
};

TEST_P(GoldenConditioning, MeanVarianceAndSamples) {
  for (const auto& [name, deviation] : {std::pair{"exact", 0.0}, std::pair{"noise0.1", 0.1}}) {
    for (const Method method : {Method::kDense, Method::kBanded, Method::kPcg}) {
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
