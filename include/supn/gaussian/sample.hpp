// Samples from a structured Gaussian: s = μ + L⁻ᵀε, ε from noise.hpp.
//
// kExact solves by substitution (the default; costs what 1.2-1.5 Jacobi sweeps cost). kJacobi is
// the paper's Algorithm 1 with a given number of sweeps: a truncation that can overflow; look at
// the report. Same seed, same bits, for any batch, sample count and thread count on the CPU.
// See docs/method.md "Sampling", paper section 3.3.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/solve.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

enum class SampleMethod { kExact, kJacobi };

struct SampleOptions {
  SampleMethod method = SampleMethod::kExact;
  std::int64_t iterations = 1000;  // Jacobi sweeps; not used by kExact
  SampleRange range;
};

struct Samples {
  at::Tensor values;  // [B,S,H,W], S = range.count
  // The report covers L⁻ᵀε over all samples; values that are not finite are counted, never hidden.
  // In the order from coarse to fine the residual is that of the substitution with 1/e^−φ in place
  // of e^φ.
  SolveReport report;
};

// Takes one seed per image: seeds.size() == gaussian.batch(), else throws c10::Error.
// Differentiable in μ, φ, ψ for kExact; no graph for kJacobi.
Samples sample(const StructuredGaussian& gaussian,
               std::span<const std::uint64_t> seeds,
               const SampleOptions& options);

}  // namespace supn
