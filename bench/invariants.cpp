#include "invariants.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/scalar_tensor.h>

#include <utility>

#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::bench {
namespace {

using Answer = std::vector<at::Tensor>;

template <typename Change>
Competitor changed(Competitor competitor, Change change) {
  competitor.answer = [answer = std::move(competitor.answer), change] { return change(answer()); };
  return competitor;
}

at::Tensor number(double value) { return at::scalar_tensor(value, at::TensorOptions(at::kDouble)); }

double sum(const at::Tensor& values) { return values.to(at::kDouble).sum().item<double>(); }

double norm(const at::Tensor& values) { return values.norm().item<double>(); }

}  // namespace

Competitor giving_back_noise(Competitor competitor, const StructuredGaussian& gaussian) {
  return changed(std::move(competitor), [gaussian](const Answer& answer) {
    return Answer{factor_transpose_times(gaussian, answer.front())};
  });
}

Competitor without_determinant(Competitor competitor, const StructuredGaussian& gaussian) {
  return changed(std::move(competitor), [gaussian](const Answer& answer) {
    return Answer{answer.front().to(at::kDouble) - sum(gaussian.log_diagonal())};
  });
}

Competitor as_numbers_of_noise(Competitor competitor,
                               const StructuredGaussian& gaussian,
                               const at::Tensor& noise) {
  const at::Tensor direction = solve_factor_transpose(gaussian, noise.mean(1, /*keepdim=*/true));
  return changed(std::move(competitor), [gaussian, direction](const Answer& answer) {
    const at::Tensor weighted = answer[3].to(at::kDouble) * gaussian.off_diagonal();
    return Answer{number(sum(answer[0]) + sum(gaussian.log_diagonal())),
                  number(static_cast<double>(gaussian.pixels()) + sum(answer[2]) + sum(weighted)),
                  number(sum(answer[1].to(at::kDouble) * direction))};
  });
}

Competitor as_errors_of_conditions(Competitor competitor,
                                   const StructuredGaussian& gaussian,
                                   const ConditioningProblem& problem) {
  return changed(std::move(competitor), [gaussian, problem](const Answer& answer) {
    const at::Tensor prior = at::cat({problem.mean, problem.draws}, 1);
    const auto known = [&](const at::Tensor& fields) {
      return fields.flatten(2).index_select(2, problem.pixels);
    };
    const at::Tensor push = precision_times(gaussian.to(at::kDouble), answer.front() - prior);
    const double at_known = norm(known(push));
    const at::Tensor elsewhere = push.flatten(2).index_fill(2, problem.pixels, 0);
    return Answer{number(1 + norm(known(answer.front()) - problem.values) / norm(problem.values)),
                  number(1 + norm(elsewhere) / at_known)};
  });
}

}  // namespace supn::bench
