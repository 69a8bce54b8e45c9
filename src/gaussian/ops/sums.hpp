// A sum over the pixels in f64 as a node of the autograd graph; on the CPU in a fixed order.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// x [B,S,H,W] -> [B,S] f64.
at::Tensor sum_of_values(const at::Tensor& x);

}  // namespace supn
