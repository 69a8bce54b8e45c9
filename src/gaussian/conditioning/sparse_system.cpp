#include "gaussian/conditioning/sparse_system.hpp"

#include <c10/util/Exception.h>

#include <utility>
#include <vector>

namespace supn {

Dissection unknown_dissection(const StructuredGaussian& gaussian,
                              const ObservationSet& observations) {
  std::vector<bool> unknown(static_cast<std::size_t>(gaussian.pixels()), true);
  for (const std::int64_t i : observations.exact_positions()) {
    unknown[static_cast<std::size_t>(observations.pixels[static_cast<std::size_t>(i)])] = false;
  }
  const std::int64_t radius = gaussian.neighbourhood().radius();
  return {gaussian.size(), {radius, 2 * radius}, unknown};
}

SparseSystem::SparseSystem(const StructuredGaussian& gaussian,
                           const ObservationSet& observations,
                           Dissection dissection,
                           SystemReport& report)
    : PrecisionSystem(gaussian, observations),
      report_(report),
      cholesky_(matrix(), std::move(dissection)) {}

std::unique_ptr<SparseSystem> SparseSystem::make(const StructuredGaussian& gaussian,
                                                 const ObservationSet& observations,
                                                 Dissection dissection,
                                                 SystemReport& report) {
  std::unique_ptr<SparseSystem> system(
      new SparseSystem(gaussian, observations, std::move(dissection), report));
  if (!system->cholesky_.factorize()) return nullptr;
  return system;
}

StencilMatrix SparseSystem::matrix() const {
  StencilMatrix result = precision_matrix(gaussian());
  result.values.select(0, 0).add_(added_precision()[0][0]);
  return result;
}

at::Tensor SparseSystem::solve(const at::Tensor& right_side) {
  const at::Tensor sides = right_side.reshape({right_side.size(1), -1});
  const at::Tensor result = cholesky_.solve(sides).view(right_side.sizes());
  report_.add(right_side.sub(matrix_times(result)).view_as(sides), sides);
  return result;
}

// det M = det A / det Λ · Π R over the noisy observations.
double SparseSystem::log_determinant() {
  const at::Tensor& noise = observations().noise_variance;
  const double noisy = noise.masked_select(noise.gt(0.0)).log().sum().item<double>();
  return cholesky_.log_determinant() - 2.0 * gaussian().log_diagonal().sum().item<double>() + noisy;
}

// M⁻¹ = 1/R − (posterior covariance of the observed)/R².
at::Tensor SparseSystem::precision_diagonal() {
  TORCH_CHECK(
      observations().exact_positions().empty(),
      "ConditionedGaussian::distances: the sparse method needs a noise variance of every "
      "observation, and observation ",
      observations().position[static_cast<std::size_t>(observations().exact_positions().front())],
      " is exact; give one, or choose the dense method");
  const at::Tensor inverse = observations().noise_variance.reciprocal();
  const at::Tensor posterior = gathered(variance(), observations().pixels).squeeze(0);
  return inverse.sub(posterior.mul(inverse).mul(inverse)).clamp_min(0.0);
}

at::Tensor SparseSystem::variance() {
  if (!variance_.defined()) {
    const auto [height, width] = gaussian().size();
    variance_ = cholesky_.inverse_diagonal().view({1, 1, height, width});
  }
  return variance_;
}

}  // namespace supn
