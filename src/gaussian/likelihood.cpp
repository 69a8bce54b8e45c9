#include "supn/gaussian/likelihood.hpp"

#include <cmath>
#include <numbers>

#include "gaussian/argument_checks.hpp"
#include "gaussian/ops/gaussian_exponent.hpp"
#include "gaussian/ops/sums.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

// Returns Σφ [B,1] f64.
at::Tensor sum_of_log_diagonal(const StructuredGaussian& gaussian) {
  return sum_of_values(gaussian.log_diagonal());
}

}  // namespace

at::Tensor whiten(const StructuredGaussian& gaussian, const at::Tensor& d) {
  check_field("whiten", gaussian, d);
  return factor_transpose_times(gaussian, d.sub(gaussian.mean()));
}

at::Tensor colour(const StructuredGaussian& gaussian, const at::Tensor& eps) {
  check_field("colour", gaussian, eps);
  return gaussian.mean().add(solve_factor_transpose(gaussian, eps));
}

at::Tensor log_prob(const StructuredGaussian& gaussian, const at::Tensor& d) {
  check_field("log_prob", gaussian, d);
  const double constant =
      0.5 * static_cast<double>(gaussian.pixels()) * std::log(2.0 * std::numbers::pi);
  const at::Tensor nats =
      gaussian_exponent(gaussian, d).add(sum_of_log_diagonal(gaussian).sub(constant));
  return nats.to(d.scalar_type());
}

at::Tensor log_determinant(const StructuredGaussian& gaussian) {
  return sum_of_log_diagonal(gaussian).mul(2.0).squeeze(1).to(gaussian.mean().scalar_type());
}

at::Tensor entropy(const StructuredGaussian& gaussian) {
  const double constant = 0.5 * static_cast<double>(gaussian.pixels()) *
                          std::log(2.0 * std::numbers::pi * std::numbers::e);
  return sum_of_log_diagonal(gaussian).neg().add(constant).squeeze(1).to(
      gaussian.mean().scalar_type());
}

}  // namespace supn
