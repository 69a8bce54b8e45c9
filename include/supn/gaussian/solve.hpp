// Triangular solves with the Cholesky factor L of the precision (structured_gaussian.hpp).
//
// Exact: Lᵀx = b by back-substitution from the last pixel, L y = b by forward substitution,
//
//   x_n = (b_n − Σ_k ψ_k[n] x[n + o_k]) · e^{−φ_n},
//
// the sum taken in one order everywhere: rows below first, then the pixel's own row, farthest
// neighbour first. Cost: what 1.2 to 1.5 Jacobi sweeps cost. The bits do not depend on batch, field
// count, threads or instruction set. Differentiable in φ, ψ and b: with h the opposite solve of the
// incoming gradient, ∂b = h, ∂φ = −h e^φ x, ∂ψ_k[n] = −h[n] x[n + o_k], summed over fields.
//
// Jacobi (the paper's Algorithm 1): x ← (b − Ux)·e^{−φ}, U the off-diagonal part of Lᵀ. D⁻¹U is
// nilpotent, so the iteration is exact, to the bit, after Neighbourhood::exact_sweeps() sweeps; fewer
// are a truncation, and where Σ|ψ|/e^φ > 1 the transient may overflow on the way. The report says so.
//
// b: [B,S,H,W] of the Gaussian's dtype and device → [B,S,H,W]. Throws c10::Error if it does not fit.
// Source: paper section 3.3 and Algorithm 1; method.md "Sampling".
#pragma once

#include <cstdint>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct SolveReport {
  std::int64_t iterations = 0;       // sweeps done; 0 for an exact solve
  double relative_residual = 0.0;    // ‖Lᵀx − b‖ / ‖b‖ over all fields, infinite if not finite
  std::int64_t non_finite = 0;       // elements of the solution that are NaN or infinite
};

struct JacobiSolution {
  at::Tensor solution;
  SolveReport report;
};

at::Tensor solve_factor(const StructuredGaussian& gaussian, const at::Tensor& b);            // L⁻¹b
at::Tensor solve_factor_transpose(const StructuredGaussian& gaussian, const at::Tensor& b);  // L⁻ᵀb

// `sweeps` sweeps for Lᵀx = b from x = b. Not differentiable. Throws c10::Error if sweeps < 1.
JacobiSolution jacobi_solve_factor_transpose(const StructuredGaussian& gaussian,
                                             const at::Tensor& b,
                                             std::int64_t sweeps);

// How well x solves Lᵀx = b.
SolveReport solve_report(const StructuredGaussian& gaussian,
                         const at::Tensor& x,
                         const at::Tensor& b);

}  // namespace supn
