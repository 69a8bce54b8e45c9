// Evaluates models on a split, image by image.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "supn/comparison/observer.hpp"
#include "supn/data/kitti.hpp"
#include "supn/evaluation/depth/known_settings.hpp"
#include "supn/evaluation/tables/split_result.hpp"
#include "supn/network/temperature.hpp"

namespace supn {

struct EvaluationRequest {
  std::vector<std::string> checkpoints = {};         // "<folder>" or "<name>=<folder>"
  std::vector<std::filesystem::path> external = {};  // other programs' maps, a row each
  double external_baseline = 0.1;                    // of their PNG files (external_maps.hpp)
  bool ensemble = false;           // a row for the ensemble of all members in the sample files
  bool ensemble_variants = false;  // and one for each of its uncertainties in circulation
  bool baselines = false;          // rows for Gaussians fitted to the members of each image
  bool truth = false;  // a row for the true Gaussians, and each model's distance to them
  std::filesystem::path second_samples = {};  // of another ensemble, for its likelihood; or empty
  KnownRequest known = {};                    // rows given ground-truth points
  // Of the checkpoints; without a wish of the user's, members' for what is judged by members, the
  // truth's for what is judged by measured depths.
  std::optional<CalibratedOn> calibration = std::nullopt;
  std::int64_t jacobi = 0;  // sweeps whose residual is measured; 0 = none
  Split split = Split::kTest;
  std::filesystem::path out = {};                        // empty = nothing is written
  std::vector<std::filesystem::path> config_files = {};  // that the configuration was read from
};

// Memory does not grow with the number of images, but for their scores. An image without a
// ground-truth pixel of the protocol is skipped for accuracy and sparsification, with a warning and
// its name in the caption. The result is written to request.out as write_split_result does, and then
// pictures of the curves. Throws ConfigError if there is nothing to evaluate or no image has ground truth,
// IoError for any file that is missing or damaged.
SplitResult evaluate_split(const EvaluationRequest& request,
                           const ComparisonConfig& config,
                           c10::Device device,
                           const ComparisonObserver& observer);

}  // namespace supn
