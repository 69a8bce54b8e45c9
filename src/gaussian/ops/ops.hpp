// The maps of a factor L without its mean, and the operators on them. They build no graph;
// autograd.cpp and gaussian_exponent.cpp make them differentiable.
//
// Implementations of the same functions: cpu:: (raster order) and planes:: (coarse to fine) are
// loops over the kernels; composite:: (both orders, ATen operations on any device) is the
// definition that the kernels are tested against and what every other device runs; device:: is the
// one that fits the order and the tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

struct FactorMaps {
  at::Tensor log_diagonal;  // φ [B,1,H,W]
  at::Tensor off_diagonal;  // ψ [B,K,H,W]
  Neighbourhood neighbourhood;
};

// Derivatives of ⟨p, Lᵀq⟩ with respect to φ and ψ, the only shape in which they occur:
//   ∂ψ_k[n] = Σ_s p_s[n]·q_s[n + o_k]        ∂φ[n] = e^φ_n Σ_s p_s[n]·q_s[n]
struct FactorGradient {
  at::Tensor log_diagonal;  // [B,1,H,W]
  at::Tensor off_diagonal;  // [B,K,H,W]
};

// Derivatives of −½ Σ_s w_s ‖z_s‖² for z = Lᵀ(d − μ) and weights w [B,S] f64:
//   ∂ψ_k[n] = −Σ_s w_s·z_s[n]·(d_s − μ)[n + o_k]     ∂φ[n] = −Σ_s w_s·z_s[n]·e^φ_n·(d_s − μ)[n]
// and weighted = Σ_s w_s·z_s, from which ∂μ = L·weighted.
struct ExponentGradient {
  FactorGradient factor;
  at::Tensor weighted;  // [B,1,H,W]
};

#define SUPN_FACTOR_OPERATORS                                                       \
  at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x);           \
  at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x); \
  at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b);           \
  at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b); \
  at::Tensor jacobi_solve_factor_transpose(                                         \
      const FactorMaps& factor, const at::Tensor& b, std::int64_t sweeps);          \
  FactorGradient factor_gradient(                                                   \
      const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q);

#define SUPN_EXPONENT                                                                             \
  /* ‖Lᵀ(d − μ)‖² [B,S] f64 */                                                          \
  at::Tensor squared_norm(const FactorMaps& factor, const at::Tensor& mean, const at::Tensor& d); \
  ExponentGradient exponent_gradient(const FactorMaps& factor,                                    \
                                     const at::Tensor& mean,                                      \
                                     const at::Tensor& d,                                         \
                                     const at::Tensor& weights);

#define SUPN_SUMS                                                               \
  at::Tensor sum_of_squares(const at::Tensor& x); /* [B,S,H,W] -> [B,S], f64 */ \
  at::Tensor sum_of_values(const at::Tensor& x);  /* [B,S,H,W] -> [B,S], f64 */

namespace cpu {
SUPN_FACTOR_OPERATORS
SUPN_EXPONENT
SUPN_SUMS
}  // namespace cpu
// L⁻ᵀ of a factor that is made ready once: b [B,S,H,W] to L⁻ᵀb.
using TransposeSolver = std::function<at::Tensor(const at::Tensor& b)>;

namespace planes {
SUPN_FACTOR_OPERATORS
// As above. d − μ and Lᵀ(d − μ) are kept for the gradient, unless `kept` is null: ten megabytes for
// eight samples of 640x192 pixels, and a quarter of a loss's time.
at::Tensor squared_norm(const FactorMaps& factor,
                        const at::Tensor& mean,
                        const at::Tensor& d,
                        at::Tensor* kept);
ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& kept,
                                   const at::Tensor& weights);
TransposeSolver transpose_solver(const FactorMaps& factor);
// Returns L⁻ᵀL⁻¹x.
at::Tensor covariance_times(const FactorMaps& factor, const at::Tensor& x);
}  // namespace planes
namespace composite {
SUPN_FACTOR_OPERATORS
SUPN_EXPONENT
SUPN_SUMS
}  // namespace composite
namespace device {
SUPN_FACTOR_OPERATORS
SUPN_SUMS

// An implementation may leave in `kept`, unless it is null, what it can use for the gradient.
at::Tensor squared_norm(const FactorMaps& factor,
                        const at::Tensor& mean,
                        const at::Tensor& d,
                        at::Tensor* kept);
ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& mean,
                                   const at::Tensor& d,
                                   const at::Tensor& kept,
                                   const at::Tensor& weights);

TransposeSolver transpose_solver(const FactorMaps& factor);
// Returns Σx = L⁻ᵀL⁻¹x.
at::Tensor covariance_times(const FactorMaps& factor, const at::Tensor& x);

// Tells whether kernels serve this device; where none do, composite:: does.
bool has_kernels(const at::Device& device);

// No device has kernels as long as one of these lives. For tests: what a GPU runs then runs on the
// CPU, where it can be compared. Not for use while other threads are at work.
class WithoutKernels {
 public:
  WithoutKernels();
  ~WithoutKernels();
  WithoutKernels(const WithoutKernels&) = delete;
  WithoutKernels& operator=(const WithoutKernels&) = delete;
};
}  // namespace device
#undef SUPN_SUMS
#undef SUPN_EXPONENT
#undef SUPN_FACTOR_OPERATORS

}  // namespace supn
