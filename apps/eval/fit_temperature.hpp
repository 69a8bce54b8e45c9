// Fits the temperatures of checkpoints (supn/network/temperature.hpp) on the validation split.
#pragma once

#include <c10/core/Device.h>

#include <map>
#include <string>
#include <vector>

#include "supn/config/config.hpp"
#include "supn/evaluation/calibration/temperature_fit.hpp"
#include "supn/evaluation/fields/low_rank_field.hpp"
#include "supn/network/temperature.hpp"

namespace supn {

// members: the τ that gives the members of the validation images the highest likelihood: τ² = mean
// z², z the whitened members with τ = 1. truth: the τ of the highest joint density of 100 random
// ground-truth points of each validation image (truth_temperature.hpp), and beside it the isotropic
// field that fits the same points, and the tails of what is left given some points of each image.
// Written into each checkpoint's folder, in place of an earlier
// one. Throws ConfigError without checkpoints, samples (members), ground truth (truth) or a
// validation split; IoError for files that are missing, damaged or cannot be written.
void fit_temperatures(const std::vector<std::string>& checkpoints,
                      CalibratedOn on,
                      const Config& config,
                      c10::Device device);

// Returns the temperatures of the truth of Gaussians fitted to each image's members (--baselines),
// by the validation split: none without such a split or its ground truth, or where the user wants
// another calibration.
std::map<EnsembleFit, FittedTemperature> fit_ensemble_temperatures(
    const Config& config, const std::optional<CalibratedOn>& wanted);

}  // namespace supn
