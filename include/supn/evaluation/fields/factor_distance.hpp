// The distance says how far a predicted Gaussian is from the one that its data were drawn from.
#pragma once

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct FactorDistance {
  double kl = 0.0;         // KL(true ‖ predicted), exact, nats per pixel
  double std_error = 0.0;  // √mean (log σ_predicted − log σ_true)², exact marginals
  double covariance_error = 0.0;  // ‖Σ̂_i· − Σ_i·‖/‖Σ_i·‖, mean over 12 pixels i on a grid
};

// Takes one image each, of one size; their radii may differ.
FactorDistance factor_distance(const StructuredGaussian& truth,
                               const StructuredGaussian& predicted);

}  // namespace supn
