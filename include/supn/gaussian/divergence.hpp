// How far one structured Gaussian is from another, exactly, in nats:
//
//   KL(p₁‖p₂) = ½[tr(Λ₂Σ₁) − N + (μ₂ − μ₁)ᵀΛ₂(μ₂ − μ₁)] + Σφ₁ − Σφ₂
//
// The trace is E‖L₂ᵀ(x − μ₁)‖² under p₁, and needs only covariances of pixels within the window of
// L₂: local_covariances of marginal.hpp, whose cost this has. The two may have different radii.
// float64 [B] on the CPU, without a graph; ≥ 0 up to rounding, 0 for equal ones. Throws c10::Error
// if batch or size differ.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

at::Tensor kl_divergence(const StructuredGaussian& first, const StructuredGaussian& second);

}  // namespace supn
