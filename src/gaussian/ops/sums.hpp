// A sum over the pixels in f64 as a node of the autograd graph; on the CPU in a fixed order.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// Sums x [B,S,H,W] into [B,S] in f64.
at::Tensor sum_of_values(const at::Tensor& x);

}  // namespace supn
