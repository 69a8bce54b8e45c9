// Conditioning on some pixels, for rows and curves.
#pragma once

#include "peers/peer_process.hpp"
#include "problem.hpp"

namespace supn::bench {

constexpr std::int64_t kConditionalSamples = 8;

// `known` pixels chosen at random, ascending [known] int64.
at::Tensor random_pixels(const Problem& problem, std::int64_t known);

// Values of the pixels from a draw of the Gaussian itself, float64.
ConditioningProblem conditioning_problem(const Problem& problem, const at::Tensor& pixels);

// Conditional mean and kConditionalSamples samples, draws of the prior included.
Competitor exact_conditioning(const Problem& problem, const ConditioningProblem& conditions);

// "dense", "sparse" or "PCG": what the conditioning chose for these pixels.
std::string chosen_method(const Problem& problem, const ConditioningProblem& conditions);

}  // namespace supn::bench
