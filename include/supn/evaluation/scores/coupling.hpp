// The coupling tells where a factor's recursion may grow, x_n = Σ_k w_k·x[n + o_k] + innovation
// with w_k = −ψ_k/e^φ:
//
//   ρ = Σ_k |w_k|    above 1 it may, where signs work together; Jacobi's transient does
//   gain = Σ_k w_k   above 1 over a region marginal variances grow exponentially across it
//
// See docs/method.md "Exploding samples".
#pragma once

#include <cstdint>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Shares of the pixels of a batch; a value that is not finite counts as above 1.
struct Coupling {
  double coupled_share = 0.0;  // ρ > 1
  double growing_share = 0.0;  // gain > 1
};

Coupling coupling(const StructuredGaussian& gaussian);

// Returns ‖Lᵀs − ε‖/‖ε‖ of the paper's Jacobi sampling of one sample with that many sweeps
// (sample.hpp); infinite where it overflows. Throws c10::Error for a batch or sweeps < 1.
double jacobi_residual(const StructuredGaussian& gaussian, std::uint64_t seed, std::int64_t sweeps);

}  // namespace supn
