// What two different Gaussians must have in common, so that a race between them is one between
// right answers: a factor in raster order and one from coarse to fine draw different fields from the
// same noise, but each must give the noise back, and each must satisfy its own equations.
//
// Each function takes a competitor and returns it with another answer; its time is as before.
#pragma once

#include "competitor.hpp"
#include "peers/peer_process.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn::bench {

// The answer x [1,S,H,W] becomes the noise Lᵀx.
Competitor giving_back_noise(Competitor competitor, const StructuredGaussian& gaussian);

// The answer log p(d) becomes that of the noise, log p − Σφ.
Competitor without_determinant(Competitor competitor, const StructuredGaussian& gaussian);

// The answer {ℓ, ∂μ, ∂φ, ∂ψ}, ℓ the mean of −log p over members coloured from ε [1,S,H,W], becomes
// three numbers of ε alone. With m the mean of ε over the members and Lᵀv = m:
//
//   ℓ + Σφ = ½‖ε‖²/S + (N/2)·log 2π     N + Σ∂φ + Σψ·∂ψ = ‖ε‖²/S     ⟨∂μ, v⟩ = −‖m‖²
Competitor as_numbers_of_noise(Competitor competitor,
                               const StructuredGaussian& gaussian,
                               const at::Tensor& noise);

// The conditioned fields x [1,1+S,H,W] of the prior's fields s become two numbers, 1 + the relative
// errors of what defines them: x = v at the known pixels, Λ(x − s) = 0 at all others (relative to
// its values at the known ones).
Competitor as_errors_of_conditions(Competitor competitor,
                                   const StructuredGaussian& gaussian,
                                   const ConditioningProblem& problem);

}  // namespace supn::bench
