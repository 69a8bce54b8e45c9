// One scalar that makes a trained network's Gaussians as wide as they should be: L/τ in place of L,
// so that the mean stays and every standard deviation is τ times as large. Fitted on images that
// the network was not trained on, kept as temperature.json in the checkpoint's folder, and applied
// by Predictor; load_network and training know nothing of it, and a checkpoint that is saved anew
// has none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct Temperature {
  double value = 1.0;       // τ > 0
  std::string fitted_on;    // the split's file, for people
  std::int64_t images = 0;  // it was fitted on
  // Likelihood of the members there, nats per pixel and member, with τ = 1 and with this one.
  double log_likelihood_before = 0.0;
  double log_likelihood_after = 0.0;
};

// μ, φ − log τ, ψ/τ. Throws c10::Error unless τ is positive and finite.
StructuredGaussian with_temperature(const StructuredGaussian& gaussian, double temperature);

// Nothing where the checkpoint has none. Throws IoError for a damaged file.
std::optional<Temperature> read_temperature(const std::filesystem::path& checkpoint);

// Atomic; replaces an earlier one. Throws IoError if it cannot be written.
void write_temperature(const std::filesystem::path& checkpoint, const Temperature& temperature);

}  // namespace supn
