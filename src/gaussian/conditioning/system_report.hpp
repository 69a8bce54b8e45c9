// How well the systems of conditioning were solved.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace supn {

// Returns the largest ‖residual‖/‖right side‖ of residuals [S,n], by the squares [S,1] of the latter;
// infinite where one is NaN, 0 for a right side of zeros without a residual.
double largest_relative(const at::Tensor& residual, const at::Tensor& squared_target);

// Covers all solves so far.
struct SystemReport {
  std::int64_t iterations = 0;     // of conjugate gradients
  double relative_residual = 0.0;  // of the solution itself, not of a recursion

  // Both [S,n].
  void add(const at::Tensor& residual, const at::Tensor& right_side);
};

}  // namespace supn
