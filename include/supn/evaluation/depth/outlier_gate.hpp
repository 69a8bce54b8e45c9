// Leaves out observations that contradict all others: those whose Mahalanobis distance
// (conditioning.hpp) is over a limit. An outlier makes its neighbours look wrong too, so each round
// drops only those with no worse one within 32 pixels, and asks the rest again.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/gaussian/conditioning.hpp"

namespace supn {

struct GateOptions {
  double limit = 4.0;            // standard deviations
  std::int64_t max_rounds = 20;  // factorisations
  ConditioningOptions conditioning = {};
};

struct GateResult {
  at::Tensor kept;             // int64, indices of observations in their order
  at::Tensor dropped;          // int64, in the order of dropping
  at::Tensor distances;        // float64, of the dropped ones when they were
  std::int64_t rounds = 0;     // factorisations
  std::int64_t remaining = 0;  // kept ones over the limit, where max_rounds ended the search
};

// Throws c10::Error if the limit or max_rounds is not positive, and as ConditionedGaussian.
GateResult gate_outliers(const StructuredGaussian& gaussian,
                         const Observations& observations,
                         const GateOptions& options);

// Returns the observations at `index` (int64 [n]).
Observations selected(const Observations& observations, const at::Tensor& index);

}  // namespace supn
