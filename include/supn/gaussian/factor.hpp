// Products with the Cholesky factor L of the precision Λ = L Lᵀ (structured_gaussian.hpp):
//
//   (Lᵀx)_n = e^{φ_n} x_n + Σ_k ψ_k[n] x[n + o_k]
//   (L x)_m = e^{φ_m} x_m + Σ_k ψ_k[m − o_k] x[m − o_k]      the exact adjoint: ⟨Lᵀx, y⟩ = ⟨x, L y⟩
//
// x: [B,S,H,W] of the Gaussian's dtype and device (S fields for each image, any strides) → [B,S,H,W].
// Cost: K+1 multiply-adds per pixel and field, no temporary beyond the result. Differentiable in x,
// φ and ψ. On the CPU every pixel is one fixed chain of fused multiply-adds, so the bits do not
// depend on batch, field count, threads or instruction set. Throws c10::Error on a shape, dtype or
// device that does not fit.
#pragma once

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

at::Tensor factor_times(const StructuredGaussian& gaussian, const at::Tensor& x);            // L x
at::Tensor factor_transpose_times(const StructuredGaussian& gaussian, const at::Tensor& x);  // Lᵀx
at::Tensor precision_times(const StructuredGaussian& gaussian, const at::Tensor& x);         // L Lᵀx

}  // namespace supn
