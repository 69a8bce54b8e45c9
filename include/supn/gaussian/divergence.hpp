// The divergence says how far one structured Gaussian is from another, exactly, in nats:
//
//   KL(p₁‖p₂) = ½[tr(Λ₂Σ₁) − N + (μ₂ − μ₁)ᵀΛ₂(μ₂ − μ₁)] + Σφ₁ − Σφ₂
//
// The trace is E‖L₂ᵀ(x − μ₁)‖² under p₁. The two may have different orders and radii. Cost: for two
// raster factors that of local_covariances (marginal.hpp), the covariances within the window of L₂;
// for p₁ from coarse to fine that of its marginal variances, a few times; for p₁ in raster order
// and p₂ from coarse to fine one substitution a pixel. float64 [B], computed on the CPU, without a
// graph; ≥ 0 up to rounding, 0 for equal ones. Throws c10::Error if batch or size differ.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

at::Tensor kl_divergence(const StructuredGaussian& first, const StructuredGaussian& second);

}  // namespace supn
