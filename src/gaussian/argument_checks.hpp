// The contracts that the functions on a Gaussian share.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Throws c10::Error naming `function` if x is not [B,S,H,W] of the Gaussian's size, dtype and
// device.
void check_field(const char* function, const StructuredGaussian& gaussian, const at::Tensor& x);

// Throws c10::Error naming `function` unless the samples start at 0 or later and are at least one.
void check_range(const char* function, const SampleRange& range);

// A backward pass calls this, which throws c10::Error if a graph of it is asked for.
void check_first_order(const char* function);

}  // namespace supn
