// The maps of a factor L without its mean, as the forms of the operators on it take them. These
// operators build no graph; factor_autograd.cpp makes them differentiable.
//
// Three forms with the same functions: cpu:: (loops over the kernels of row_kernels.hpp),
// composite:: (ATen operations, any device: the definition that the kernels are tested against),
// and device:: (the one of the two that fits the tensors).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace supn {

struct FactorMaps {
  at::Tensor log_diagonal;  // φ [B,1,H,W]
  at::Tensor off_diagonal;  // ψ [B,K,H,W]
  std::int64_t radius;
};

// Derivatives of ⟨p, Lᵀq⟩ with respect to φ and ψ, the only shape in which they occur:
//   ∂ψ_k[n] = Σ_s p_s[n]·q_s[n + o_k]        ∂φ[n] = e^φ_n Σ_s p_s[n]·q_s[n]
struct FactorGradient {
  at::Tensor log_diagonal;  // [B,1,H,W]
  at::Tensor off_diagonal;  // [B,K,H,W]
};

#define SUPN_FACTOR_OPERATORS                                                       \
  at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x);           \
  at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x); \
  at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b);           \
  at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b); \
  at::Tensor jacobi_solve_factor_transpose(                                         \
      const FactorMaps& factor, const at::Tensor& b, std::int64_t sweeps);          \
  FactorGradient factor_gradient(                                                   \
      const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q);          \
  at::Tensor sum_of_squares(const at::Tensor& x); /* [B,S,H,W] -> [B,S], f64 */     \
  at::Tensor sum_of_values(const at::Tensor& x);  /* [B,S,H,W] -> [B,S], f64 */

namespace cpu {
SUPN_FACTOR_OPERATORS
}
namespace composite {
SUPN_FACTOR_OPERATORS
}
namespace device {
SUPN_FACTOR_OPERATORS
}
#undef SUPN_FACTOR_OPERATORS

}  // namespace supn
