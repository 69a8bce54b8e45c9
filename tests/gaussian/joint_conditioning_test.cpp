// An unknown that all observations share, and observations that come one after the other, by every
// method of conditioning against dense algebra.
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "conditioning_cases.hpp"

namespace supn::test {
namespace {

using JointConditioning = Conditioning;

// The Gaussian of (d, s) given its observations, by a dense solve of all 49 unknowns together, then
// of y = d + c·s.
class DenseCommon {
 public:
  DenseCommon(const StructuredGaussian& g,
              const Observations& observations,
              const CommonUnknown& common) {
    const at::Tensor to_field = at::cat({at::eye(48, at::kDouble), common.column.view({48, 1})}, 1);
    at::Tensor prior = at::zeros({49, 49}, at::kDouble);
    prior.narrow(0, 0, 48).narrow(1, 0, 48).copy_(dense_covariance(g));
    prior[48][48] = common.std * common.std;
    const at::Tensor rows = to_field.index_select(0, observations.pixels);
    matrix_ = rows.matmul(prior).matmul(rows.t()).add(observations.noise_variance.diag());
    residual_ =
        observations.values.sub(g.mean().reshape({-1}).index_select(0, observations.pixels));
    const at::Tensor gain = prior.matmul(rows.t()).matmul(at::linalg_inv(matrix_));
    const at::Tensor covariance = prior.sub(gain.matmul(rows).matmul(prior));
    const at::Tensor correction = gain.matmul(residual_);
    mean = g.mean().reshape({-1}).add(to_field.matmul(correction));
    field_covariance = to_field.matmul(covariance).matmul(to_field.t());
    common_mean = correction[48].item<double>();
    common_std = std::sqrt(covariance[48][48].item<double>());
  }
  double log_evidence() const {
    const double square = residual_.dot(at::linalg_inv(matrix_).matmul(residual_)).item<double>();
    return -0.5 * (square + matrix_.logdet().item<double>() +
                   static_cast<double>(residual_.size(0)) * std::log(2.0 * std::numbers::pi));
  }

  at::Tensor mean;              // of y, [48]
  at::Tensor field_covariance;  // of y, [48,48]
  double common_mean = 0.0;
  double common_std = 0.0;

 private:
  at::Tensor matrix_;
  at::Tensor residual_;
};

TEST_P(JointConditioning, ACommonUnknownIsSolvedWithTheField) {
  const CommonUnknown common{random_tensor({1, 1, 6, 8}, 71).add(1.0), 0.7};
  const at::Tensor fields = random_tensor({1, 2, 6, 8}, 72);
  for (const auto& observations :
       {exact_observations(), noisy_observations(), mixed_observations()}) {
    const DenseCommon dense(gaussian(), observations, common);
    ConditionedGaussian ours = conditioned(observations, common);
    EXPECT_LT(largest_difference(ours.mean().view({-1}), dense.mean), kTolerance);
    EXPECT_NEAR(ours.common().mean, dense.common_mean, kTolerance);
    EXPECT_NEAR(ours.common().std, dense.common_std, kTolerance);
    EXPECT_LT(largest_difference(ours.covariance_times(fields).view({2, 48}),
                                 fields.view({2, 48}).matmul(dense.field_covariance)),
              kTolerance);
    if (!factored()) continue;
    EXPECT_LT(largest_difference(ours.variance().view({-1}), dense.field_covariance.diagonal()),
              kTolerance);
    EXPECT_NEAR(ours.log_evidence(), dense.log_evidence(), kTolerance);
  }
}

TEST_P(JointConditioning, DistancesAllowForTheCommonUnknown) {
  if (!factored()) return;
  const Observations noisy = noisy_observations();
  const CommonUnknown common{random_tensor({1, 1, 6, 8}, 71), 0.7};
  const at::Tensor distances = conditioned(noisy, common).distances();
  for (std::int64_t i = 0; i < 6; ++i) {
    std::vector<std::int64_t> others{0, 1, 2, 3, 4, 5};
    others.erase(others.begin() + i);
    const at::Tensor rest = indices(others);
    const DenseCommon dense(gaussian(),
                            {noisy.pixels.index_select(0, rest),
                             noisy.values.index_select(0, rest),
                             noisy.noise_variance.index_select(0, rest)},
                            common);
    const std::int64_t pixel = noisy.pixels[i].item<std::int64_t>();
    const double variance = dense.field_covariance[pixel][pixel].item<double>() +
                            noisy.noise_variance[i].item<double>();
    const double expected =
        std::abs(noisy.values[i].item<double>() - dense.mean[pixel].item<double>()) /
        std::sqrt(variance);
    EXPECT_NEAR(distances[i].item<double>(), expected, kTolerance);
  }
}

TEST_P(JointConditioning, ACommonUnknownWithoutStdIsNone) {
  const CommonUnknown none{random_tensor({1, 1, 6, 8}, 71), 0.0};
  ConditionedGaussian ours = conditioned(noisy_observations(), none);
  EXPECT_LT(largest_difference(ours.mean(), conditioned(noisy_observations()).mean()), kTolerance);
  EXPECT_EQ(ours.common().mean, 0.0);
  EXPECT_EQ(ours.common().std, 0.0);
}

TEST_P(JointConditioning, SamplesOfTheCommonUnknownSpreadLikeIt) {
  const CommonUnknown common{at::ones({1, 1, 6, 8}, at::kDouble), 30.0};
  const at::Tensor samples =
      conditioned({indices({}), numbers({}), {}}, common).samples(3, {0, 400});
  const double spread = samples.mean({2, 3}).std().item<double>();
  EXPECT_NEAR(spread, 30.0, 4.0);
}

// The posterior of the first observations is the prior of the others.
TEST_P(JointConditioning, OneAfterTheOtherIsAllAtOnce) {
  const Observations all = noisy_observations();
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return Observations{all.pixels.narrow(0, first, count),
                        all.values.narrow(0, first, count),
                        all.noise_variance.narrow(0, first, count)};
  };
  at::Tensor mean = gaussian().mean().reshape({-1});
  for (std::int64_t seen = 0; seen < 6; seen += 2) {
    ConditionedGaussian before = conditioned(part(0, seen));
    const Observations next = part(seen, 2);
    const at::Tensor unit = at::eye(48, at::kDouble).index_select(0, next.pixels);
    const at::Tensor columns = before.covariance_times(unit.view({1, 2, 6, 8})).view({2, 48});
    const at::Tensor matrix = columns.index_select(1, next.pixels).add(next.noise_variance.diag());
    const at::Tensor residual = next.values.sub(mean.index_select(0, next.pixels));
    mean = mean.add(columns.t().matmul(at::linalg_inv(matrix)).matmul(residual));
    ConditionedGaussian at_once = conditioned(part(0, seen + 2));
    EXPECT_LT(largest_difference(at_once.mean().view({-1}), mean), 1e-9);
    const at::Tensor field = random_tensor({1, 1, 6, 8}, 81);
    const at::Tensor prior = before.covariance_times(field).view({48});
    const at::Tensor posterior = prior.sub(
        columns.t().matmul(at::linalg_inv(matrix)).matmul(prior.index_select(0, next.pixels)));
    EXPECT_LT(largest_difference(at_once.covariance_times(field).view({48}), posterior), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(All, JointConditioning, testing::ValuesIn(conditioning_cases()));

}  // namespace
}  // namespace supn::test
