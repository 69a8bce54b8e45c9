// Preconditioned conjugate gradients solve for several right-hand sides of one symmetric positive
// definite matrix, each with its own steps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "gaussian/conditioning/system_report.hpp"

namespace supn {

struct PcgLimits {
  double tolerance;
  std::int64_t max_iterations;
};

// b -> A·b or an approximation of A⁻¹b, for [S,n].
using LinearMap = std::function<at::Tensor(const at::Tensor&)>;

// Returns A⁻¹b for b [S,n], until ‖residual‖ ≤ tolerance·‖b‖ for every one or max_iterations are
// done.
at::Tensor conjugate_gradients(const at::Tensor& right_side,
                               const LinearMap& times,
                               const LinearMap& preconditioned,
                               const PcgLimits& limits,
                               SystemReport& report);

}  // namespace supn
