// The distance says how far a predicted Gaussian is from the one that its data were drawn from.
#pragma once

#include <optional>

#include "supn/evaluation/fields/convolved_field.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct FactorDistance {
  std::optional<double> kl;  // KL(true ‖ predicted), exact, nats per pixel
  double std_error = 0.0;    // √mean (log σ_predicted − log σ_true)², exact marginals
  double covariance_error = 0.0;  // ‖Σ̂_i· − Σ_i·‖/‖Σ_i·‖, mean over 12 pixels i on a grid
};

// One image each, of one size; their orders and radii may differ.
FactorDistance factor_distance(const StructuredGaussian& truth,
                               const StructuredGaussian& predicted);

// The divergence is left out where the truth has no density.
FactorDistance factor_distance(const ConvolvedField& truth, const StructuredGaussian& predicted);

}  // namespace supn
