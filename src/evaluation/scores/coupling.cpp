#include "supn/evaluation/scores/coupling.hpp"

#include <ATen/TensorOperators.h>

#include <array>

#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

double share_above_one(const at::Tensor& values) {
  return 1.0 - values.le(1.0).to(at::kDouble).mean().item<double>();
}

}  // namespace

Coupling coupling(const StructuredGaussian& gaussian) {
  const at::Tensor weights =
      gaussian.off_diagonal().to(at::kDouble).neg() / gaussian.log_diagonal().to(at::kDouble).exp();
  return {.coupled_share = share_above_one(weights.abs().sum(1)),
          .growing_share = share_above_one(weights.sum(1))};
}

double jacobi_residual(const StructuredGaussian& gaussian,
                       std::uint64_t seed,
                       std::int64_t sweeps) {
  const ThreadCount one_order_of_sums(1);
  const std::array<std::uint64_t, 1> seeds{seed};
  SampleOptions options;
  options.method = SampleMethod::kJacobi;
  options.iterations = sweeps;
  return sample(gaussian, seeds, options).report.relative_residual;
}

}  // namespace supn
