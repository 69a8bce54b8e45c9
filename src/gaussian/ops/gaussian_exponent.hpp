// The exponent of the density, −½‖Lᵀ(d − μ)‖², and its derivatives: the part of log_prob that
// depends on d. Backward reads d again instead of keeping fields of its size.
#pragma once

#include <ATen/core/Tensor.h>

#include "gaussian/ops/ops.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// [B,S] f64 for d [B,S,H,W]; differentiable once in μ, φ, ψ and d.
at::Tensor gaussian_exponent(const StructuredGaussian& gaussian, const at::Tensor& d);

namespace cpu {

// ‖Lᵀ(d − μ)‖² [B,S] f64, summed row by row.
at::Tensor squared_norm(const FactorMaps& factor, const at::Tensor& mean, const at::Tensor& d);

// With z = Lᵀ(d − μ) and weights w [B,S] f64:
//   ∂ψ_k[n] = −Σ_s w_s·z_s[n]·(d_s − μ)[n + o_k]     ∂φ[n] = −Σ_s w_s·z_s[n]·e^φ_n·(d_s − μ)[n]
// and weighted = Σ_s w_s·z_s, from which ∂μ = L·weighted.
struct ExponentGradient {
  FactorGradient factor;
  at::Tensor weighted;  // [B,1,H,W]
};
ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& mean,
                                   const at::Tensor& d,
                                   const at::Tensor& weights);

}  // namespace cpu
}  // namespace supn
