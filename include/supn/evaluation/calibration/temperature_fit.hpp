// The fit finds the temperature τ (L/τ in place of L: every standard deviation τ times as large)
// that makes values most likely, be they members of an ensemble or measured depths. With e_i the
// residuals of image i's K_i values and C_i their exact covariance at τ = 1:
//
//   log p_i(τ) = −½ e_iᵀC_i⁻¹e_i/τ² − K_i log τ − ½ log det C_i − ½ K_i log 2π
//   τ² = Σ_i e_iᵀC_i⁻¹e_i / Σ_i K_i                    the maximum of Σ_i log p_i
#pragma once

#include <cstdint>
#include <span>

namespace supn {

// Holds the evidence of one image at τ = 1.
struct DensityEvidence {
  double squares = 0.0;      // eᵀC⁻¹e
  double log_density = 0.0;  // nats, all values together
  std::int64_t count = 0;    // K
};

struct FittedTemperature {
  double value = 1.0;
  double standard_error = 0.0;      // by bootstrap over images; 0 for a single image
  double log_density_at_one = 0.0;  // nats per value
  double log_density = 0.0;         // with τ
};

// NaN where there is no value or one's density is not finite.
FittedTemperature fit_temperature(std::span<const DensityEvidence> images);

}  // namespace supn
