#include "supn/gaussian/solve.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/zeros_like.h>

#include "gaussian_fixture.hpp"
#include "supn/gaussian/factor.hpp"

namespace supn::test {
namespace {

class Solve : public GaussianTest {
 protected:
  double tolerance() const { return GetParam().dtype == at::kDouble ? 1e-10 : 1e-3; }
};

TEST_P(Solve, TransposeSolveIsTheDenseSolution) {
  const StructuredGaussian g = gaussian();
  const at::Tensor b = field(g);
  const at::Tensor expected =
      dense_times(b, [&](std::int64_t i) { return at::linalg_inv(dense_factor_transpose(g, i)); });
  EXPECT_LT(largest_difference(solve_factor_transpose(g, b), expected),
            tolerance() * largest(expected));
}

TEST_P(Solve, SolveIsTheDenseSolution) {
  const StructuredGaussian g = gaussian();
  const at::Tensor b = field(g);
  const at::Tensor expected = dense_times(
      b, [&](std::int64_t i) { return at::linalg_inv(dense_factor_transpose(g, i)).t(); });
  EXPECT_LT(largest_difference(solve_factor(g, b), expected), tolerance() * largest(expected));
}

TEST_P(Solve, UndoesTheProduct) {
  for (const GaussianShape& shape : {GaussianShape{2, 6, 8},
                                     GaussianShape{1, 1, 1},
                                     GaussianShape{2, 5, 1},
                                     GaussianShape{1, 1, 5},
                                     GaussianShape{1, 2, 2}}) {
    const StructuredGaussian g = gaussian(shape);
    const at::Tensor x = field(g);
    const double bound = tolerance() * 10;
    EXPECT_LT(largest_difference(solve_factor(g, factor_times(g, x)), x), bound);
    EXPECT_LT(largest_difference(solve_factor_transpose(g, factor_transpose_times(g, x)), x),
              bound);
    EXPECT_LT(largest_difference(factor_transpose_times(g, solve_factor_transpose(g, x)), x),
              bound);
  }
}

TEST_P(Solve, BitsDoNotDependOnBatchSamplesAndThreads) {
  const StructuredGaussian g = gaussian({3, 37, 53});
  const at::Tensor b = field(g, 20);
  const ThreadCount one(1);
  const at::Tensor backward = solve_factor_transpose(g, b);
  const at::Tensor forward = solve_factor(g, b);
  const ThreadCount many(3);
  EXPECT_TRUE(solve_factor_transpose(g, b).equal(backward));
  EXPECT_TRUE(solve_factor(g, b).equal(forward));
  const at::Tensor alone = b.narrow(0, 2, 1).narrow(1, 13, 1);
  EXPECT_TRUE(solve_factor_transpose(g.image(2), alone)[0][0].equal(backward[2][13]));
  EXPECT_TRUE(solve_factor(g.image(2), alone)[0][0].equal(forward[2][13]));
}

TEST_P(Solve, StridedInputsGiveTheSameBitsAndStayAsTheyWere) {
  const StructuredGaussian g = gaussian();
  const at::Tensor b = field(g);
  const at::Tensor turned = b.transpose(2, 3).contiguous().transpose(2, 3);
  ASSERT_FALSE(turned.is_contiguous());
  EXPECT_TRUE(solve_factor_transpose(g, turned).equal(solve_factor_transpose(g, b)));
  EXPECT_TRUE(solve_factor(g, turned).equal(solve_factor(g, b)));
  EXPECT_TRUE(turned.equal(field(g)));
}

TEST_P(Solve, JacobiEqualsTheExactSolutionBitwiseAtTheDepthAndNotBefore) {
  const StructuredGaussian g = gaussian({2, 6, 11});
  const at::Tensor b = field(g);
  const at::Tensor exact = solve_factor_transpose(g, b);
  const std::int64_t depth = g.neighbourhood().exact_sweeps(6, 11);
  const JacobiSolution full = jacobi_solve_factor_transpose(g, b, depth);
  EXPECT_TRUE(full.solution.equal(exact));
  EXPECT_EQ(full.report.iterations, depth);
  EXPECT_LT(full.report.relative_residual, tolerance());
  EXPECT_TRUE(jacobi_solve_factor_transpose(g, b, depth + 5).solution.equal(exact));
  if (!GetParam().neighbourhood.is_diagonal()) {
    EXPECT_FALSE(jacobi_solve_factor_transpose(g, b, depth / 2).solution.equal(exact));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Solve, testing::ValuesIn(all_cases()), case_name);

// All weights of the recursion alike: ψ = −weight·e^φ.
StructuredGaussian uniform_gaussian(double weight,
                                    const GaussianShape& shape,
                                    at::ScalarType dtype) {
  const StructuredGaussian g = random_gaussian(2, shape).to(dtype);
  return {g.mean(),
          at::zeros_like(g.log_diagonal()),
          at::full_like(g.off_diagonal(), -weight),
          g.neighbourhood()};
}

TEST(Jacobi, OneSweepLessThanTheDepthFallsShortAndSaysSo) {
  const StructuredGaussian g = uniform_gaussian(0.5, {1, 6, 9}, at::kDouble);
  const at::Tensor b = at::full_like(g.mean(), 1.0);
  const std::int64_t depth = g.neighbourhood().exact_sweeps(6, 9);
  const JacobiSolution before = jacobi_solve_factor_transpose(g, b, depth - 1);
  const JacobiSolution at_depth = jacobi_solve_factor_transpose(g, b, depth);
  EXPECT_FALSE(before.solution.equal(at_depth.solution));
  EXPECT_TRUE(at_depth.solution.equal(solve_factor_transpose(g, b)));
}

TEST(Jacobi, ReportsTheResidualOfATruncation) {
  const StructuredGaussian g = uniform_gaussian(0.05, {1, 12, 16}, at::kDouble);
  const at::Tensor b = at::full_like(g.mean(), 1.0);
  const JacobiSolution few = jacobi_solve_factor_transpose(g, b, 2);
  const at::Tensor residual = factor_transpose_times(g, few.solution).sub(b);
  const double expected = residual.norm().item<double>() / b.norm().item<double>();
  EXPECT_NEAR(few.report.relative_residual, expected, 1e-12);
  EXPECT_GT(few.report.relative_residual, 1e-2);
  EXPECT_FALSE(few.report.converged());
  EXPECT_EQ(few.report.non_finite, 0);
}

TEST(Jacobi, ReportsOverflowAsAnInfiniteResidual) {
  const StructuredGaussian g = uniform_gaussian(10.0, {1, 40, 40}, at::kFloat);
  const at::Tensor b = at::full_like(g.mean(), 1.0F);
  const JacobiSolution broken = jacobi_solve_factor_transpose(g, b, 100);
  EXPECT_GT(broken.report.non_finite, 0);
  EXPECT_TRUE(std::isinf(broken.report.relative_residual));
  EXPECT_FALSE(broken.report.converged());
}

TEST(SolveReport, CountsWhatIsNotFiniteInAnExactSolution) {
  const StructuredGaussian g = uniform_gaussian(10.0, {1, 40, 40}, at::kFloat);
  const at::Tensor b = at::full_like(g.mean(), 1.0F);
  const at::Tensor solution = solve_factor_transpose(g, b);
  const SolveReport report = solve_report(g, b, solution, 1);
  EXPECT_EQ(report.non_finite, solution.isfinite().logical_not().sum().item<std::int64_t>());
  EXPECT_GT(report.non_finite, 0);
}

TEST(SolveReport, IsTheWorstSample) {
  const StructuredGaussian g = uniform_gaussian(0.05, {1, 6, 8}, at::kDouble);
  const at::Tensor b = random_tensor({1, 2, 6, 8}, 3);
  at::Tensor solution = solve_factor_transpose(g, b);
  solution[0][1].mul_(2.0);
  EXPECT_NEAR(solve_report(g, b, solution, 1).relative_residual, 1.0, 1e-12);
}

TEST(SolveReport, TakesZeroForZeroAsSolved) {
  const StructuredGaussian g = uniform_gaussian(0.05, {1, 6, 8}, at::kDouble);
  const at::Tensor zero = at::zeros_like(g.mean());
  EXPECT_EQ(solve_report(g, zero, solve_factor_transpose(g, zero), 1).relative_residual, 0.0);
}

TEST(SolveContract, RejectsWrongShapesAndSweeps) {
  const StructuredGaussian g = random_gaussian(1);
  EXPECT_THROW(solve_factor(g, random_tensor({1, 1, 6, 8}, 1)), c10::Error);
  EXPECT_THROW(solve_factor_transpose(g, random_tensor({2, 1, 5, 8}, 1)), c10::Error);
  EXPECT_THROW(jacobi_solve_factor_transpose(g, random_tensor({2, 1, 6, 8}, 1), 0), c10::Error);
}

TEST(SolvePrecision, FloatFollowsDouble) {
  const StructuredGaussian g = uniform_gaussian(0.06, {1, 48, 64}, at::kDouble);
  const at::Tensor b = random_tensor({1, 2, 48, 64}, 5);
  const at::Tensor exact = solve_factor_transpose(g, b);
  const at::Tensor rounded = solve_factor_transpose(g.to(at::kFloat), b.to(at::kFloat));
  EXPECT_LT(largest_difference(rounded, exact), 1e-5 * largest(exact));
  EXPECT_GT(largest_difference(rounded, exact), 0.0);
}

}  // namespace
}  // namespace supn::test
