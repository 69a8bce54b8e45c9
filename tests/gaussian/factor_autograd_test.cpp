// Gradients of everything differentiable against central differences in float64.
#include <functional>

#include "gaussian_fixture.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::test {
namespace {

// μ, φ, ψ and one field (values or right-hand side).
struct Inputs {
  std::vector<at::Tensor> tensors;
  Neighbourhood neighbourhood;

  StructuredGaussian gaussian() const {
    return {tensors[0], tensors[1], tensors[2], neighbourhood};
  }
  const at::Tensor& field() const { return tensors[3]; }
};

Inputs random_inputs(std::int64_t radius) {
  const StructuredGaussian g = random_gaussian(radius, {2, 3, 4});
  return {{g.mean(), g.log_diagonal(), g.off_diagonal(), random_tensor({2, 2, 3, 4}, 5)},
          g.neighbourhood()};
}

using Function = std::function<at::Tensor(const StructuredGaussian&, const at::Tensor&)>;

struct Operation {
  const char* name;
  Function function;
};

class Gradient : public testing::TestWithParam<std::tuple<std::int64_t, Operation>> {
 protected:
  // A fixed random projection makes a scalar of any result.
  double value(const Inputs& inputs) const { return scalar(inputs).item<double>(); }
  at::Tensor scalar(const Inputs& inputs) const {
    const at::Tensor result = std::get<1>(GetParam()).function(inputs.gaussian(), inputs.field());
    return result.mul(random_tensor(result.sizes().vec(), 11)).sum();
  }
  double difference_quotient(const Inputs& inputs, std::size_t which, std::int64_t element) const {
    constexpr double kStep = 1e-5;
    Inputs moved = inputs;
    moved.tensors[which] = inputs.tensors[which].clone();
    double& entry = moved.tensors[which].mutable_data_ptr<double>()[element];
    const double start = entry;
    entry = start + kStep;
    const double above = value(moved);
    entry = start - kStep;
    return (above - value(moved)) / (2 * kStep);
  }
};

TEST_P(Gradient, IsTheDifferenceQuotientInEveryInput) {
  const Inputs plain = random_inputs(std::get<0>(GetParam()));
  Inputs tracked = plain;
  for (at::Tensor& tensor : tracked.tensors) tensor = tensor.clone().requires_grad_();
  scalar(tracked).backward();
  for (std::size_t which = 0; which < plain.tensors.size(); ++which) {
    const at::Tensor& gradient = tracked.tensors[which].grad();
    for (std::int64_t i = 0; i < plain.tensors[which].numel(); ++i) {
      const double expected = difference_quotient(plain, which, i);
      const double got = gradient.defined() ? gradient.reshape({-1})[i].item<double>() : 0.0;
      ASSERT_NEAR(got, expected, 2e-7 * (1 + std::abs(expected)))
          << "input " << which << " element " << i;
    }
  }
}

const Operation kOperations[] = {
    {"FactorTimes", factor_times},
    {"FactorTransposeTimes", factor_transpose_times},
    {"PrecisionTimes", precision_times},
    {"SolveFactor", solve_factor},
    {"SolveFactorTranspose", solve_factor_transpose},
    {"Whiten", whiten},
    {"Colour", colour},
    {"LogProb", log_prob},
    {"LogDeterminant",
     [](const StructuredGaussian& g, const at::Tensor&) { return log_determinant(g); }},
    {"Entropy", [](const StructuredGaussian& g, const at::Tensor&) { return entropy(g); }},
};

INSTANTIATE_TEST_SUITE_P(All,
                         Gradient,
                         testing::Combine(testing::Values(0, 1, 2, 3),
                                          testing::ValuesIn(kOperations)),
                         [](const auto& parameters) {
                           return std::string(std::get<1>(parameters.param).name) + "Radius" +
                                  std::to_string(std::get<0>(parameters.param));
                         });

TEST(GradientOfLogProb, HasTheClosedForm) {
  const StructuredGaussian g = random_gaussian(0, {1, 3, 4});
  g.mean().requires_grad_();
  const at::Tensor d = random_tensor({1, 2, 3, 4}, 5);
  log_prob(g, d).sum().backward();
  const at::Tensor expected =
      d.sub(g.mean().detach()).mul(g.log_diagonal().mul(2).exp()).sum(1, true);
  EXPECT_LT(largest_difference(g.mean().grad(), expected), 1e-12);
}

TEST(GradientOfLogProb, ReachesTheMapsAloneAndFloat) {
  const StructuredGaussian g = random_gaussian(2).to(at::kFloat);
  g.off_diagonal().requires_grad_();
  log_prob(g, random_tensor({2, 2, 6, 8}, 5).to(at::kFloat)).mean().backward();
  EXPECT_EQ(g.off_diagonal().grad().scalar_type(), at::kFloat);
  EXPECT_GT(largest(g.off_diagonal().grad()), 0.0);
  EXPECT_FALSE(g.log_diagonal().grad().defined());
}

TEST(GradientOfLogProb, IsZeroWhereTheNeighbourIsOutside) {
  const StructuredGaussian g = random_gaussian(1, {1, 3, 4});
  g.off_diagonal().requires_grad_();
  log_prob(g, random_tensor({1, 2, 3, 4}, 5)).sum().backward();
  const at::Tensor gradient = g.off_diagonal().grad();
  EXPECT_EQ(largest(gradient.narrow(1, 0, 1).narrow(3, 3, 1)), 0.0);  // (0,1) in the last column
  EXPECT_EQ(largest(gradient.narrow(1, 1, 1).narrow(3, 0, 1)), 0.0);  // (1,-1) in the first column
  EXPECT_EQ(largest(gradient.narrow(1, 1, 3).narrow(2, 2, 1)), 0.0);  // (1,.) in the last row
  EXPECT_GT(largest(gradient), 0.0);
}

TEST(GradientOfLogProb, BitsDoNotDependOnThreads) {
  const at::Tensor d = random_tensor({2, 5, 37, 53}, 5).to(at::kFloat);
  const auto gradient_of = [&](int threads) {
    const ThreadCount count(threads);
    const StructuredGaussian g = random_gaussian(2, {2, 37, 53}).to(at::kFloat);
    g.off_diagonal().requires_grad_();
    log_prob(g, d).sum().backward();
    return g.off_diagonal().grad();
  };
  EXPECT_TRUE(gradient_of(1).equal(gradient_of(3)));
}

TEST(GradientOfSample, FlowsThroughTheExactSolveOnly) {
  const StructuredGaussian g = random_gaussian(1);
  g.log_diagonal().requires_grad_();
  const std::vector<std::uint64_t> seeds{1, 2};
  EXPECT_TRUE(sample(g, seeds, {}).values.requires_grad());
  EXPECT_FALSE(sample(g, seeds, {.method = SampleMethod::kJacobi, .iterations = 3, .range = {}})
                   .values.requires_grad());
}

TEST(GradientGraph, IsNotBuiltWhenNothingAsksForIt) {
  const StructuredGaussian g = random_gaussian(1);
  const at::Tensor x = random_tensor({2, 1, 6, 8}, 5);
  EXPECT_FALSE(solve_factor_transpose(g, x).requires_grad());
  EXPECT_FALSE(log_prob(g, x).requires_grad());
}

}  // namespace
}  // namespace supn::test
