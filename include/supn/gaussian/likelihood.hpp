// Whitening, colouring and what follows from them.
//
//   whiten:  z = Lᵀ(d − μ)          standard normal if d ~ N(μ, (LLᵀ)⁻¹)
//   colour:  d = μ + L⁻ᵀ ε          the inverse of whiten
//   log p(d) = −½‖z‖² + Σ_n φ_n − (N/2) log 2π
//   log det Λ = 2 Σ φ,   entropy = (N/2) log(2πe) − Σ φ
//
// d, ε: [B,S,H,W] of the Gaussian's dtype and device. All values in nats for the whole image: divide
// by the pixel count N for nats per pixel; a density may exceed 1. Sums are accumulated in float64 and
// returned in float64. Differentiable in μ, φ, ψ and d. Throws c10::Error on a shape that does not fit.
// Source: paper section 3.1; method.md "The distribution".
#pragma once

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

at::Tensor whiten(const StructuredGaussian& gaussian, const at::Tensor& values);    // [B,S,H,W]
at::Tensor colour(const StructuredGaussian& gaussian, const at::Tensor& noise);     // [B,S,H,W]
at::Tensor log_prob(const StructuredGaussian& gaussian, const at::Tensor& values);  // [B,S] nats
at::Tensor log_determinant(const StructuredGaussian& gaussian);                     // [B], of Λ
at::Tensor entropy(const StructuredGaussian& gaussian);                             // [B] nats

}  // namespace supn
