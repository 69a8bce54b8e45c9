#include "gaussian/conditioning/pcg_system.hpp"

#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gaussian/ops/class_taps.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

// The recursion's residual drifts from the real one: it is brought this much lower.
constexpr double kMargin = 0.1;

// ⟨a, b⟩ of every sample, [1,S,1,1].
at::Tensor inner(const at::Tensor& a, const at::Tensor& b) { return a.mul(b).sum({2, 3}, true); }

// a/b, 0 where b is 0: a sample that is solved stands still.
at::Tensor ratio(const at::Tensor& a, const at::Tensor& b) {
  return at::where(b.eq(0.0), at::zeros_like(a), a.div(b));
}

double largest_relative(const at::Tensor& residual, const at::Tensor& squared_target) {
  const double largest =
      ratio(inner(residual, residual), squared_target).sqrt().max().item<double>();
  return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
}

// Coefficients from and to known pixels are 0, and a known pixel's own is 1.
StructuredGaussian masked(const StructuredGaussian& gaussian,
                          const at::Tensor& unknown,
                          const at::Tensor& added_precision) {
  const at::Tensor raised =
      gaussian.log_diagonal().mul(2.0).exp().add(added_precision).log().div(2);
  const at::Tensor psi = gaussian.off_diagonal().mul(unknown);
  for (const PixelClass& pixels : gaussian.neighbourhood().classes(gaussian.size())) {
    for (const Tap& tap : taps(pixels, gaussian.size())) {
      tap.at_pixel(psi.narrow(1, tap.channel, 1)).mul_(tap.at_neighbour(unknown));
    }
  }
  return {gaussian.mean(), raised.mul(unknown), psi, gaussian.neighbourhood()};
}

}  // namespace

PcgSystem::PcgSystem(const StructuredGaussian& gaussian,
                     const ObservationSet& observations,
                     const PcgLimits& limits)
    : PrecisionSystem(gaussian, observations),
      masked_(masked(gaussian, unknown(), added_precision())),
      limits_(limits) {}

at::Tensor PcgSystem::times(const at::Tensor& x) const {
  return precision_times(gaussian(), x).mul(unknown()).add(x.mul(added_precision()));
}

at::Tensor PcgSystem::preconditioned(const at::Tensor& r) const {
  return solve_factor_transpose(masked_, solve_factor(masked_, r));
}

at::Tensor PcgSystem::solve(const at::Tensor& right_side) {
  const at::Tensor target = inner(right_side, right_side);
  at::Tensor x = at::zeros_like(right_side);
  at::Tensor residual = right_side.clone();
  at::Tensor z = preconditioned(residual);
  at::Tensor direction = z;
  at::Tensor rz = inner(residual, z);
  std::int64_t iteration = 0;
  for (; iteration < limits_.max_iterations; ++iteration) {
    const double relative = largest_relative(residual, target);
    if (relative <= kMargin * limits_.tolerance || std::isinf(relative)) break;
    const at::Tensor product = times(direction);
    const at::Tensor step = ratio(rz, inner(direction, product));
    x.addcmul_(step, direction);
    residual.addcmul_(step, product, -1);
    z = preconditioned(residual);
    const at::Tensor next = inner(residual, z);
    direction = z.addcmul(ratio(next, rz), direction);
    rz = next;
  }
  report_.iterations = std::max(report_.iterations, iteration);
  report_.relative_residual =
      std::max(report_.relative_residual, largest_relative(right_side.sub(times(x)), target));
  return x;
}

double PcgSystem::log_determinant() {
  TORCH_CHECK(false,
              "ConditionedGaussian::log_evidence: conjugate gradients have no determinant; choose "
              "the dense or the sparse method");
}

at::Tensor PcgSystem::precision_diagonal() {
  TORCH_CHECK(false,
              "ConditionedGaussian::distances: conjugate gradients cannot give them; choose the "
              "dense or the sparse method");
}

at::Tensor PcgSystem::variance() {
  TORCH_CHECK(false,
              "ConditionedGaussian::variance: conjugate gradients cannot give it; choose the dense "
              "or the sparse method");
}

}  // namespace supn
