#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gaussian/argument_checks.hpp"
#include "gaussian/ops/ops.hpp"
#include "gaussian/residual_ratio.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

FactorMaps maps_of(const StructuredGaussian& gaussian) {
  return {
      gaussian.log_diagonal().detach(), gaussian.off_diagonal().detach(), gaussian.neighbourhood()};
}

// A finite sum of squares rules them out in one pass; only otherwise they are counted.
std::int64_t non_finite_values(const at::Tensor& x) {
  if (device::sum_of_squares(x).isfinite().all().item<bool>()) return 0;
  return x.numel() - at::isfinite(x).sum().item<std::int64_t>();
}

}  // namespace

double largest_residual_ratio(const at::Tensor& residual_squares,
                              const at::Tensor& target_squares) {
  const at::Tensor residual = residual_squares.to(at::kCPU).contiguous();
  const at::Tensor target = target_squares.to(at::kCPU).contiguous();
  const double* r = residual.const_data_ptr<double>();
  const double* t = target.const_data_ptr<double>();
  double largest = 0.0;
  for (std::int64_t i = 0; i < residual.numel(); ++i) {
    const double ratio = r[i] == 0.0 ? 0.0 : std::sqrt(r[i] / t[i]);
    if (std::isnan(ratio)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, ratio);
  }
  return largest;
}

SolveReport solve_report(const StructuredGaussian& gaussian,
                         const at::Tensor& b,
                         const at::Tensor& solution,
                         std::int64_t iterations) {
  check_field("solve_report", gaussian, b);
  check_field("solve_report", gaussian, solution);
  TORCH_CHECK(b.sizes() == solution.sizes(),
              "solve_report: b and the solution must have one shape, got ",
              b.sizes(),
              " and ",
              solution.sizes());
  const at::NoGradGuard no_grad;
  SolveReport report;
  report.iterations = iterations;
  report.non_finite = non_finite_values(solution);
  if (report.non_finite > 0) {
    report.relative_residual = std::numeric_limits<double>::infinity();
    return report;
  }
  const at::Tensor residual =
      device::factor_transpose_times(maps_of(gaussian), solution.detach()).sub_(b);
  report.relative_residual =
      largest_residual_ratio(device::sum_of_squares(residual), device::sum_of_squares(b));
  return report;
}

JacobiSolution jacobi_solve_factor_transpose(const StructuredGaussian& gaussian,
                                             const at::Tensor& b,
                                             std::int64_t sweeps) {
  check_field("jacobi_solve_factor_transpose", gaussian, b);
  TORCH_CHECK(
      sweeps > 0, "jacobi_solve_factor_transpose: at least one sweep is needed, got ", sweeps);
  const at::NoGradGuard no_grad;
  at::Tensor solution =
      device::jacobi_solve_factor_transpose(maps_of(gaussian), b.detach(), sweeps);
  const SolveReport report = solve_report(gaussian, b, solution, sweeps);
  return {std::move(solution), report};
}

}  // namespace supn
