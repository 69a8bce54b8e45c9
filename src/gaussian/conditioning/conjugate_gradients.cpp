#include "gaussian/conditioning/conjugate_gradients.hpp"

#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

namespace supn {
namespace {

// The recursion's residual drifts from the real one: it is brought this much lower.
constexpr double kMargin = 0.1;

// Returns ⟨a, b⟩ of every sample, [S,1].
at::Tensor inner(const at::Tensor& a, const at::Tensor& b) { return a.mul(b).sum({1}, true); }

// a/b, 0 where b is 0: a sample that is solved stands still.
at::Tensor ratio(const at::Tensor& a, const at::Tensor& b) {
  return at::where(b.eq(0.0), at::zeros_like(a), a.div(b));
}

}  // namespace

at::Tensor conjugate_gradients(const at::Tensor& right_side,
                               const LinearMap& times,
                               const LinearMap& preconditioned,
                               const PcgLimits& limits,
                               SystemReport& report) {
  const at::Tensor target = inner(right_side, right_side);
  at::Tensor x = at::zeros_like(right_side);
  at::Tensor residual = right_side.clone();
  at::Tensor z = preconditioned(residual);
  at::Tensor direction = z;
  at::Tensor rz = inner(residual, z);
  std::int64_t iteration = 0;
  for (; iteration < limits.max_iterations; ++iteration) {
    const double relative = largest_relative(residual, target);
    if (relative <= kMargin * limits.tolerance || std::isinf(relative)) break;
    const at::Tensor product = times(direction);
    const at::Tensor step = ratio(rz, inner(direction, product));
    x.addcmul_(step, direction);
    residual.addcmul_(step, product, -1);
    z = preconditioned(residual);
    const at::Tensor next = inner(residual, z);
    direction = z.addcmul(ratio(next, rz), direction);
    rz = next;
  }
  report.iterations = std::max(report.iterations, iteration);
  report.add(right_side.sub(times(x)), right_side);
  return x;
}

}  // namespace supn
