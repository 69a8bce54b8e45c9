#include "supn/gaussian/sample.hpp"

#include <c10/util/Exception.h>

namespace supn {

Samples sample(const StructuredGaussian& gaussian,
               std::span<const std::uint64_t> seeds,
               const SampleOptions& options) {
  TORCH_CHECK(static_cast<std::int64_t>(seeds.size()) == gaussian.batch(),
              "sample: one seed per image is needed, got ",
              seeds.size(),
              " seeds for ",
              gaussian.batch(),
              " images");
  const at::Tensor eps =
      standard_normal(seeds, options.range, gaussian.size(), gaussian.mean().options());
  if (options.method == SampleMethod::kJacobi) {
    const JacobiSolution jacobi = jacobi_solve_factor_transpose(gaussian, eps, options.iterations);
    return {gaussian.mean().detach().add(jacobi.solution), jacobi.report};
  }
  const at::Tensor solution = solve_factor_transpose(gaussian, eps);
  return {gaussian.mean().add(solution), solve_report(gaussian, eps, solution, 1)};
}

}  // namespace supn
