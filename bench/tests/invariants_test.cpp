// Factors of one field in two orders agree in what they must have in common, and a wrong answer
// shows.
#include "invariants.hpp"

#include <gtest/gtest.h>

#include "conditioning_problem.hpp"
#include "peers/torch_peer.hpp"
#include "problem.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn::bench {
namespace {

constexpr ImageSize kSize{13, 22};
constexpr std::int64_t kMembers = 3;

class Invariants : public testing::Test {
 protected:
  Problem raster_{FactorKind::kMatern05, kSize};
  Problem fine_{FactorKind::kMatern05, kSize, Neighbourhood(CoarseToFine{})};
};

// The competitor with one number of its first tensor changed.
Competitor spoilt(Competitor competitor) {
  competitor.answer = [answer = std::move(competitor.answer)] {
    std::vector<at::Tensor> values = answer();
    values.front() = values.front().clone();
    values.front().flatten()[values.front().numel() - 1].add_(20);
    return values;
  };
  return competitor;
}

void expect_agreement(const Competitor& a, const Competitor& b, double tolerance) {
  EXPECT_LT(disagreement(a.answer(), b.answer()), tolerance);
}

void expect_disagreement(const Competitor& a, const Competitor& b, double tolerance) {
  EXPECT_GT(disagreement(a.answer(), b.answer()), 10 * tolerance);
}

TEST_F(Invariants, SamplesGiveBackTheirNoise) {
  const auto given_back = [](const Problem& problem) {
    return giving_back_noise(exact_samples(problem, kMembers), problem.gaussian());
  };
  expect_agreement(given_back(fine_), given_back(raster_), 1e-4);
  const Competitor noise{"noise", "", [this] { return std::vector{fine_.noise(kMembers)}; }, {}};
  expect_agreement(given_back(fine_), noise, 1e-4);
  expect_disagreement(
      giving_back_noise(spoilt(exact_samples(fine_, kMembers)), fine_.gaussian()), noise, 1e-4);
}

Competitor density(const Problem& problem) {
  return {"log_prob",
          "",
          [&problem] { return std::vector{log_prob(problem.gaussian(), problem.draws(1))}; },
          {}};
}

TEST_F(Invariants, DensitiesAreThoseOfTheNoise) {
  const Competitor raster = without_determinant(density(raster_), raster_.gaussian());
  expect_agreement(without_determinant(density(fine_), fine_.gaussian()), raster, 1e-5);
  expect_disagreement(density(fine_), density(raster_), 1e-5);
  expect_disagreement(without_determinant(spoilt(density(fine_)), fine_.gaussian()), raster, 1e-5);
}

at::Tensor own_loss(const StructuredGaussian& gaussian, const at::Tensor& d) {
  return log_prob(gaussian, d).mean().neg();
}

Competitor loss(const Problem& problem) {
  return loss_with_gradients("loss", "", problem.gaussian(), problem.draws(kMembers), own_loss);
}

// Gradients scaled by 1.01, one after the other.
Competitor with_wrong_gradient(Competitor competitor, std::size_t which) {
  competitor.answer = [answer = std::move(competitor.answer), which] {
    std::vector<at::Tensor> values = answer();
    values[which] = values[which] * 1.01;
    return values;
  };
  return competitor;
}

TEST_F(Invariants, LossAndGradientsAreNumbersOfTheNoise) {
  const auto numbers = [](const Problem& problem, Competitor competitor) {
    return as_numbers_of_noise(std::move(competitor), problem.gaussian(), problem.noise(kMembers));
  };
  const Competitor raster = numbers(raster_, loss(raster_));
  expect_agreement(numbers(fine_, loss(fine_)), raster, 1e-4);
  for (const std::size_t which : {0, 1, 2, 3}) {
    expect_disagreement(numbers(fine_, with_wrong_gradient(loss(fine_), which)), raster, 1e-4);
  }
}

TEST_F(Invariants, ConditionedFieldsSatisfyTheirEquations) {
  const at::Tensor pixels = random_pixels(fine_, 17);
  const auto errors = [&](const Problem& problem, auto change) {
    const ConditioningProblem conditions = conditioning_problem(problem, pixels);
    return as_errors_of_conditions(
        change(exact_conditioning(problem, conditions)), problem.gaussian(), conditions);
  };
  const auto unchanged = [](Competitor competitor) { return competitor; };
  const Competitor raster = errors(raster_, unchanged);
  expect_agreement(errors(fine_, unchanged), raster, 1e-9);
  expect_disagreement(errors(fine_, spoilt), raster, 1e-3);
}

}  // namespace
}  // namespace supn::bench
