#include "supn/evaluation/fields/low_rank_field.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

constexpr std::int64_t kRows = 4;
constexpr std::int64_t kColumns = 5;

at::Tensor maps(std::uint64_t seed, std::int64_t count) {
  const std::array<std::uint64_t, 1> seeds{seed};
  return standard_normal(
      seeds, {0, count}, {kRows, kColumns}, at::TensorOptions().dtype(at::kDouble))[0];
}

// Of 8 members with a common part, so that covariances are not noise alone.
at::Tensor members() {
  const at::Tensor common = maps(5, 8).narrow(1, 0, 1).narrow(2, 0, 1);
  return maps(6, 8) * 0.3 + common + maps(7, 1);
}

LowRankField field() { return {maps(1, 1)[0], maps(2, 3), maps(3, 1)[0].square() + 0.1}; }

at::Tensor dense_covariance(const LowRankField& f) {
  return f.covariance(at::arange(kRows * kColumns, at::kLong));
}

double dense_log_density(const at::Tensor& covariance, const at::Tensor& e) {
  const at::Tensor squares = at::matmul(at::matmul(e, at::linalg_inv(covariance)), e);
  return -0.5 * (squares.item<double>() + covariance.logdet().item<double>() +
                 static_cast<double>(e.numel()) * std::log(2.0 * std::numbers::pi));
}

TEST(LowRankField, DensityIsTheDenseOne) {
  const LowRankField f = field();
  const at::Tensor d = maps(4, 2);
  const at::Tensor nats = f.log_prob(d);
  for (std::int64_t s = 0; s < 2; ++s) {
    const at::Tensor e = (d[s] - f.mean()).flatten();
    EXPECT_NEAR(nats[s].item<double>(), dense_log_density(dense_covariance(f), e), 1e-9);
  }
}

TEST(LowRankField, MarginalsAndFunctionalsAreTheDenseOnes) {
  const LowRankField f = field();
  const at::Tensor covariance = dense_covariance(f);
  EXPECT_TRUE(f.variance().flatten().allclose(covariance.diagonal(), 1e-12, 1e-12));
  const at::Tensor a = maps(9, 2);
  const at::Tensor expected = (at::matmul(a.flatten(1), covariance) * a.flatten(1)).sum(1);
  EXPECT_TRUE(f.functional_variance(a).allclose(expected, 1e-10, 1e-12));
}

TEST(LowRankField, SamplesHaveItsMoments) {
  const LowRankField f = field();
  const at::Tensor x = (f.samples(11, {0, 20000}).values - f.mean()).flatten(1);
  const at::Tensor empirical = at::matmul(x.t(), x) / 20000.0;
  const double largest = f.variance().max().item<double>();
  EXPECT_TRUE(empirical.allclose(dense_covariance(f), 0.0, 0.06 * largest));
}

TEST(LowRankField, SamplesDoNotHangOnTheRange) {
  const at::Tensor all = field().samples(11, {0, 5}).values;
  EXPECT_TRUE(field().samples(11, {3, 2}).values.equal(all.narrow(0, 3, 2)));
}

TEST(EnsembleFit, KeepsMeanAndVariance) {
  const at::Tensor m = members();
  for (const auto& [name, fit] : OptionNames<EnsembleFit>::values) {
    const LowRankField f = fit_to_ensemble(fit, m);
    EXPECT_TRUE(f.mean().allclose(m.mean(0), 1e-12, 1e-12)) << name;
    EXPECT_TRUE(f.variance().allclose(m.var(0, true), 1e-6, 1e-7)) << name;
  }
}

TEST(EnsembleFit, ShrinkageFollowsItsFormula) {
  const at::Tensor x = (members() - members().mean(0)).flatten(1);
  const auto n = static_cast<double>(x.size(0));
  double variances = 0.0;
  double squares = 0.0;
  for (std::int64_t i = 0; i < x.size(1); ++i) {
    for (std::int64_t j = 0; j < x.size(1); ++j) {
      if (i == j) continue;
      const at::Tensor w = x.select(1, i) * x.select(1, j);
      const double mean = w.mean().item<double>();
      variances += n / std::pow(n - 1, 3) * (w - mean).square().sum().item<double>();
      squares += std::pow(n / (n - 1) * mean, 2);
    }
  }
  EXPECT_NEAR(shrinkage_intensity(x), variances / squares, 1e-10);
  EXPECT_GT(shrinkage_intensity(x), 0.01);
  EXPECT_LT(shrinkage_intensity(x), 0.9);
}

TEST(EnsembleFit, CorrelationPaysOnMembersThatAreLeftOut) {
  const auto nats = [](EnsembleFit fit) {
    return leave_one_out_log_prob(fit, members()).mean().item<double>();
  };
  EXPECT_GT(nats(EnsembleFit::kShrinkage), nats(EnsembleFit::kDiagonal));
  EXPECT_GT(nats(EnsembleFit::kLowRank), nats(EnsembleFit::kDiagonal));
}

TEST(EnsembleFit, RejectsWhatItCannotFit) {
  EXPECT_THROW(fit_to_ensemble(EnsembleFit::kDiagonal, at::zeros({2, 3, 3})), c10::Error);
  EXPECT_THROW(LowRankField(at::zeros({2, 2}), at::zeros({1, 2, 2}), at::zeros({2, 2})),
               c10::Error);
}

}  // namespace
}  // namespace supn
