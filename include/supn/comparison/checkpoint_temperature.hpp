// Fits temperatures (supn/network/temperature.hpp) on the validation split.
#pragma once

#include <c10/core/Device.h>

#include <map>
#include <optional>
#include <string>

#include "supn/comparison/observer.hpp"
#include "supn/data/data_config.hpp"
#include "supn/evaluation/calibration/temperature_fit.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/low_rank_field.hpp"
#include "supn/network/temperature.hpp"

namespace supn {

struct CheckpointTemperature {
  std::string model;  // its name in tables
  Temperature fit;
};

// members: the τ that gives the members of the validation images the highest likelihood. truth: the
// τ of the highest joint density of 100 random ground-truth points of each validation image, and
// beside it the isotropic field that fits the same points, and the tails of what is left given some
// points of each image (temperature_evidence.hpp). Written into the checkpoint's folder, in place
// of an earlier one. checkpoint: as for CheckpointModel. Throws ConfigError without samples
// (members), ground truth (truth) or a validation split; IoError for files that are missing,
// damaged or cannot be written.
CheckpointTemperature fit_checkpoint_temperature(const std::string& checkpoint,
                                                 CalibratedOn on,
                                                 const ComparisonConfig& config,
                                                 c10::Device device,
                                                 const ImageCounter& on_image);

// Returns the temperatures of the truth of Gaussians fitted to each image's members (--baselines),
// by the validation split: none without such a split or its ground truth, or where the user wants
// another calibration.
std::map<EnsembleFit, FittedTemperature> fit_ensemble_temperatures(
    const ComparisonConfig& config, const std::optional<CalibratedOn>& wanted);

}  // namespace supn
