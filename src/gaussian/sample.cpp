#include "supn/gaussian/sample.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <c10/util/Exception.h>

#include <utility>

#include "gaussian/argument_checks.hpp"
#include "gaussian/ops/cpu/substitution.hpp"
#include "gaussian/ops/ops.hpp"
#include "gaussian/residual_ratio.hpp"

namespace supn {
namespace {

bool wants_graph(const StructuredGaussian& gaussian) {
  return at::GradMode::is_enabled() &&
         (gaussian.mean().requires_grad() || gaussian.log_diagonal().requires_grad() ||
          gaussian.off_diagonal().requires_grad());
}

Samples solved_noise(const StructuredGaussian& gaussian,
                     std::span<const std::uint64_t> seeds,
                     const SampleRange& range) {
  const at::Tensor eps = standard_normal(seeds, range, gaussian.size(), gaussian.mean().options());
  const at::Tensor solution = solve_factor_transpose(gaussian, eps);
  return {gaussian.mean().add(solution), solve_report(gaussian, eps, solution, 1)};
}

}  // namespace

Samples sample(const StructuredGaussian& gaussian,
               std::span<const std::uint64_t> seeds,
               const SampleOptions& options) {
  TORCH_CHECK(static_cast<std::int64_t>(seeds.size()) == gaussian.batch(),
              "sample: one seed per image is needed, got ",
              seeds.size(),
              " seeds for ",
              gaussian.batch(),
              " images");
  check_range("sample", options.range);
  if (options.method == SampleMethod::kJacobi) {
    const at::Tensor eps =
        standard_normal(seeds, options.range, gaussian.size(), gaussian.mean().options());
    const JacobiSolution jacobi = jacobi_solve_factor_transpose(gaussian, eps, options.iterations);
    return {gaussian.mean().detach().add(jacobi.solution), jacobi.report};
  }
  if (!device::has_kernels(gaussian.mean().device()) || wants_graph(gaussian)) {
    return solved_noise(gaussian, seeds, options.range);
  }
  // Makes no tensors of noise and of residuals, but for the rare sample whose values that are not
  // finite are to be counted.
  const auto& exactly =
      gaussian.neighbourhood().is_raster() ? cpu::sample_exactly : planes::sample_exactly;
  const cpu::ExactSamples exact =
      exactly({gaussian.log_diagonal(), gaussian.off_diagonal(), gaussian.neighbourhood()},
              gaussian.mean(),
              seeds,
              options.range);
  if (!exact.residual_squares.isfinite().all().item<bool>()) {
    return solved_noise(gaussian, seeds, options.range);
  }
  return {exact.values,
          {1, largest_residual_ratio(exact.residual_squares, exact.noise_squares), 0}};
}

}  // namespace supn
