// Samples d = μ + L⁻ᵀε of a structured Gaussian, ε from noise.hpp.
//
// kExact solves by back-substitution; kJacobi runs the paper's Algorithm 1 for `iterations` sweeps and
// may be wrong or not finite: the report's residual and non-finite count say so. Sample s of a seed
// has the same bits whatever else is drawn with it.
#pragma once

#include <cstdint>
#include <span>

#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/solve.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

enum class SampleMethod { kExact, kJacobi };

struct SampleOptions {
  SampleMethod method = SampleMethod::kExact;
  std::int64_t iterations = 1000;  // of kJacobi
  SampleRange range;
};

struct Samples {
  at::Tensor values;  // [B,S,H,W]
  SolveReport report;
};

// One seed for each image of the batch. Throws c10::Error if their number differs.
Samples sample(const StructuredGaussian& gaussian,
               std::span<const std::uint64_t> seeds,
               const SampleOptions& options);

}  // namespace supn
