// A SolveReport gives this ratio for the samples of a batch.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// Largest √(residual²/target²) over the samples, both f64 of one shape; 0/0 is a solved system, NaN
// becomes infinity.
double largest_residual_ratio(const at::Tensor& residual_squares, const at::Tensor& target_squares);

}  // namespace supn
