// Fits the temperature of checkpoints (supn/network/temperature.hpp) on the validation split.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "supn/config/config.hpp"

namespace supn {

// The τ that gives the members of the validation images the highest likelihood: τ² = mean z², z
// the whitened members with τ = 1. Written into each checkpoint's folder, in place of an earlier
// one. Throws ConfigError without checkpoints, samples or a validation split; IoError for files
// that are missing, damaged or cannot be written.
void fit_temperatures(const std::vector<std::string>& checkpoints,
                      const Config& config,
                      c10::Device device);

}  // namespace supn
