// Every method of conditioning against the dense oracle, over orders.
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include "conditioning_cases.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn::test {
namespace {

TEST_P(Conditioning, MeanIsTheDenseOne) {
  for (const auto& observations :
       {exact_observations(), noisy_observations(), mixed_observations()}) {
    const DenseConditioning dense(gaussian(), observations);
    ConditionedGaussian ours = conditioned(observations);
    EXPECT_LT(largest_difference(ours.mean(), dense.mean()), kTolerance);
    EXPECT_TRUE(ours.report().converged);
    // It is measured: only independent pixels may leave exactly none.
    const bool may_be_none = gaussian().neighbourhood().size() == 0;
    EXPECT_TRUE(may_be_none || ours.report().relative_residual > 0.0);
    EXPECT_LT(ours.report().relative_residual, 1e-9);
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

TEST_P(Conditioning, CovarianceTimesAFieldIsTheDenseProduct) {
  const at::Tensor fields = random_tensor({1, 3, 6, 8}, 61);
  for (const auto& observations :
       {exact_observations(), noisy_observations(), mixed_observations()}) {
    const at::Tensor ours = conditioned(observations).covariance_times(fields);
    const at::Tensor expected = DenseConditioning(gaussian(), observations).covariance();
    EXPECT_LT(largest_difference(ours.view({3, 48}), fields.view({3, 48}).matmul(expected)),
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
  if (GetParam().method == Method::kSparse) return;
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

INSTANTIATE_TEST_SUITE_P(All, Conditioning, testing::ValuesIn(conditioning_cases()));

}  // namespace
}  // namespace supn::test
