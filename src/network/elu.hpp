// The exponential linear unit of the decoders: x > 0 ? x : eˣ − 1.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// Replaces y, and returns it. On the CPU in float32 within 2e-7 of the exact value, by a kernel of
// ours that takes a fifth of ATen's time; elsewhere, and while a trace is recorded, ATen's. No
// gradient is recorded of the former, so that it is taken only where none is.
at::Tensor elu_in_place(at::Tensor y);

}  // namespace supn
