// Every peer computes what ours and the dense matrices compute: a race between different problems
// would be worth nothing.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_solve.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conditioning_problem.hpp"
#include "gaussian/gaussian_fixture.hpp"
#include "peers/cholmod_peer.hpp"
#include "peers/eigen_peer.hpp"
#include "peers/torch_peer.hpp"
#include "problem.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn::bench {
namespace {

constexpr ImageSize kSize{9, 14};
const PeerCommand kCholmod{{SUPN_CHOLMOD_PEER}, testing::TempDir()};

class Peers : public testing::TestWithParam<FactorKind> {
 protected:
  Problem problem_{GetParam(), kSize};
  at::Tensor b_ = problem_.noise(19);

  at::Tensor dense_factor_transpose() const {
    return test::dense_factor_transpose(problem_.gaussian(), 0);
  }

  // L⁻ᵀb by the dense inverse.
  std::vector<at::Tensor> dense_solution() const {
    const at::Tensor inverse = at::linalg_inv(dense_factor_transpose());
    return {test::dense_times(b_, [&](std::int64_t) { return inverse; })};
  }

  void expect_solution(const Competitor& competitor) const {
    EXPECT_LT(disagreement(competitor.answer(), dense_solution()), float32_tolerance(GetParam()))
        << competitor.name << ", " << competitor.settings;
    EXPECT_EQ(competitor.units, 19);
  }
};

INSTANTIATE_TEST_SUITE_P(Factors,
                         Peers,
                         testing::Values(FactorKind::kWell,
                                         FactorKind::kMatern05,
                                         FactorKind::kMatern15),
                         [](const auto& of) { return std::string(factor_name(of.param)); });

TEST_P(Peers, OwnSolveIsTheDenseSolution) {
  expect_solution(exact_solve(problem_, b_));
  expect_solution(exact_samples(problem_, 19));
}

TEST_P(Peers, EigenSolvesInEveryLayout) {
  const EigenPeer eigen(problem_.sparse());
  EXPECT_EQ(eigen.transpose_solves(b_).size(), 4);
  for (const Competitor& solve : eigen.transpose_solves(b_)) expect_solution(solve);
  for (const Competitor& solve : eigen.parallel_transpose_solves(b_)) expect_solution(solve);
}

TEST_P(Peers, CholmodSolvesInBlocks) {
  const CholmodPeer cholmod(kCholmod, problem_.sparse(), b_);
  expect_solution(cholmod.transpose_solve(16));
  expect_solution(cholmod.transpose_solve(1));
}

TEST_P(Peers, DenseNormalSolves) { expect_solution(dense_normal_samples(problem_.gaussian(), b_)); }

TEST_P(Peers, ConvolutionJacobiSolvesAfterEnoughSweeps) {
  const std::int64_t sweeps =
      problem_.gaussian().neighbourhood().exact_sweeps(kSize.height, kSize.width);
  expect_solution(conv2d_jacobi_solve(problem_.gaussian(), b_, sweeps));
}

TEST_P(Peers, EigenHasOurLogProb) {
  const at::Tensor d = problem_.draws(1);
  const double sum = problem_.gaussian().log_diagonal().to(at::kDouble).sum().item<double>();
  const EigenPeer eigen(problem_.sparse());
  for (const Competitor& density : eigen.log_probs(d, problem_.gaussian().mean(), sum)) {
    EXPECT_LT(disagreement(density.answer(), {log_prob(problem_.gaussian(), d)}), 1e-5)
        << density.settings;
  }
}

at::Tensor own_loss(const StructuredGaussian& gaussian, const at::Tensor& d) {
  return log_prob(gaussian, d).mean().neg();
}

TEST_P(Peers, LibTorchFormsHaveOurLossAndGradients) {
  const at::Tensor d = problem_.draws(5);
  const auto ours = loss_with_gradients("ours", "", problem_.gaussian(), d, own_loss).answer();
  ASSERT_EQ(ours.size(), 4);
  const double tolerance = float32_tolerance(GetParam());
  EXPECT_LT(disagreement(ours, conv2d_likelihood(problem_.gaussian(), d).answer()), tolerance);
  EXPECT_LT(disagreement(ours, shift_likelihood(problem_.gaussian(), d).answer()), tolerance);
}

// x + Σ_·K Σ_KK⁻¹ (v − x_K) of the mean and of every draw, dense.
at::Tensor dense_conditioning(const at::Tensor& factor_transpose,
                              const ConditioningProblem& conditions) {
  const at::Tensor inverse = at::linalg_inv(factor_transpose);
  const at::Tensor to_known = inverse.matmul(inverse.t()).index_select(1, conditions.pixels);
  const at::Tensor of_known = to_known.index_select(0, conditions.pixels);
  const at::Tensor prior = at::cat({conditions.mean, conditions.draws}, 1);
  const at::Tensor fields = prior.reshape({prior.size(1), -1});
  const at::Tensor steps = conditions.values - fields.index_select(1, conditions.pixels);
  const at::Tensor weights = at::linalg_solve(of_known, steps.t());
  return (fields + to_known.matmul(weights).t()).reshape(prior.sizes());
}

TEST_P(Peers, ConditioningsAreTheDenseFormula) {
  const ConditioningProblem conditions =
      conditioning_problem(problem_, random_pixels(problem_, 23));
  const std::vector<at::Tensor> expected{dense_conditioning(dense_factor_transpose(), conditions)};
  CholmodPeer cholmod(kCholmod, problem_.sparse(), b_);
  EXPECT_EQ(cholmod.conditionings(conditions).size(), 3);
  for (const Competitor& conditioning : cholmod.conditionings(conditions)) {
    EXPECT_LT(disagreement(conditioning.answer(), expected), 1e-6) << conditioning.settings;
  }
  EXPECT_LT(disagreement(exact_conditioning(problem_, conditions).answer(), expected), 1e-6);
}

TEST(CholmodPeer, RunsOpenBlasAndSaysWhichKernels) {
  const Problem problem(FactorKind::kWell, {3, 4});
  const CholmodPeer cholmod(kCholmod, problem.sparse(), problem.noise(1));
  const std::string settings = cholmod.transpose_solve(1).settings;
  EXPECT_THAT(settings, testing::ContainsRegex("libopenblas.*OpenBLAS .*kernels for"));
}

TEST(CholmodPeer, SaysThatAFactorIsSingular) {
  const Problem problem(FactorKind::kWell, {3, 4});
  SparseFactor factor = problem.sparse();
  std::fill(factor.value.begin(), factor.value.end(), 0.0);
  CholmodPeer cholmod(kCholmod, factor, problem.noise(1));
  const auto conditions = conditioning_problem(problem, random_pixels(problem, 2));
  try {
    cholmod.conditionings(conditions).front().answer();
    FAIL() << "expected an error";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("failed to factorise"));
  }
}

}  // namespace
}  // namespace supn::bench
