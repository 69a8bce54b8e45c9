// These functions solve linear systems with the triangular factor L; b and the solution are
// [B,S,H,W].
//
//   solve_factor            y = L⁻¹b,   from the first pixel on:
//                           y_m = (b_m − Σ_k ψ_k[m − o_k]·y[m − o_k])·e^−φ_m
//   solve_factor_transpose  s = L⁻ᵀb,   from the last pixel back (this is what sampling needs):
//                           s_n = (b_n − Σ_k ψ_k[n]·s[n + o_k])·e^−φ_n
//
// In raster order; from coarse to fine a class at a time, the first from the finest class to the
// coarsest grid, the second the other way round. Both are exact substitutions, one pass, K+1
// multiply-adds a pixel, in the order of factor.hpp: on the CPU the bits do not depend on batch,
// sample count, threads or instruction set. Differentiable once in φ, ψ and b: the backward pass is
// the opposite solve and a correlation of two fields. ψ is not prescaled by e^−φ: in float32 that
// would perturb the model.
//
// Strongly coupled factors can make the solution overflow; values that are not finite stay in the
// result, and solve_report or Samples::report count them.
// All throw c10::Error if b does not fit the factor. See docs/method.md "Sampling".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns L⁻¹b [B,S,H,W].
at::Tensor solve_factor(const StructuredGaussian& gaussian, const at::Tensor& b);

// Returns L⁻ᵀb [B,S,H,W].
at::Tensor solve_factor_transpose(const StructuredGaussian& gaussian, const at::Tensor& b);

// Says how good a solution is. A caller must look at it: numerics is a value here, never an
// exception.
struct SolveReport {
  std::int64_t iterations = 0;     // Jacobi sweeps; 1 for the exact substitution
  double relative_residual = 0.0;  // ‖Lᵀs − b‖/‖b‖ over everything; inf if non_finite > 0
  std::int64_t non_finite = 0;     // number of values of s that are infinite or not a number
  // The solution is finite everywhere, with a residual of at most `tolerance`.
  bool converged(double tolerance = 1e-3) const {
    return non_finite == 0 && relative_residual <= tolerance;
  }
};

// The report of a solution of Lᵀs = b however it was come by; no graph.
SolveReport solve_report(const StructuredGaussian& gaussian,
                         const at::Tensor& b,
                         const at::Tensor& solution,
                         std::int64_t iterations);

struct JacobiSolution {
  at::Tensor solution;  // [B,S,H,W]
  SolveReport report;
};

// Runs the paper's Algorithm 1: s ← (b − Σ_k ψ_k·s[· + o_k])·e^−φ, `sweeps` times from s = 0. The
// iteration matrix is nilpotent: with Neighbourhood::exact_sweeps(H, W) sweeps the result equals
// solve_factor_transpose bit for bit; with fewer it is a truncation whose residual the report
// gives. If Σ|ψ|/e^φ > 1 the values in between can overflow and never recover (0·inf); the report
// says so. A measurement, not for training: no graph. Throws c10::Error if sweeps < 1.
JacobiSolution jacobi_solve_factor_transpose(const StructuredGaussian& gaussian,
                                             const at::Tensor& b,
                                             std::int64_t sweeps);

}  // namespace supn
