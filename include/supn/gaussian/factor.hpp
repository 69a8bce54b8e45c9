// Products with the sparse Cholesky factor L of the precision Λ = L Lᵀ.
//
//   (Lᵀx)_n = e^φ_n·x_n + Σ_k ψ_k[n]·x[n + o_k]
//   (Lx)_m  = e^φ_m·x_m + Σ_k ψ_k[m − o_k]·x[m − o_k]          the exact adjoint
//
// From coarse to fine o_k is that of the class of the pixel whose ψ_k it is (neighbourhood.hpp).
// Every column (sample) of x is multiplied on its own: x and the result are [B,S,H,W], of the
// factor's dtype and device. Each pixel is one chain of fused multiply-adds in a fixed order (in
// raster order rows below first, then the pixel's own row, nearest last), so on the CPU the bits do
// not depend on the batch, the number of samples, the number of threads or the instruction set.
// Cost K+1 multiply-adds a pixel.
//
// Differentiable once in φ, ψ and x; backward needs no [B,S,K,H,W] temporary. All throw c10::Error
// if x does not fit the factor. See docs/method.md "The distribution", paper section 3.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns Lx [B,S,H,W].
at::Tensor factor_times(const StructuredGaussian& gaussian, const at::Tensor& x);

// Returns Lᵀx [B,S,H,W].
at::Tensor factor_transpose_times(const StructuredGaussian& gaussian, const at::Tensor& x);

// Λx = L(Lᵀx) [B,S,H,W].
at::Tensor precision_times(const StructuredGaussian& gaussian, const at::Tensor& x);

}  // namespace supn
