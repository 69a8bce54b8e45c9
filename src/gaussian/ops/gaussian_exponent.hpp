// The exponent of the density, −½‖Lᵀ(d − μ)‖², is the part of log_prob that depends on d; here it
// is computed with its derivatives. Backward reads d again instead of keeping fields of its size.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns [B,S] f64 for d [B,S,H,W]; differentiable once in μ, φ, ψ and d.
at::Tensor gaussian_exponent(const StructuredGaussian& gaussian, const at::Tensor& d);

}  // namespace supn
