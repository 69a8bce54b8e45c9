// Evaluates models on a split, image by image.
#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <vector>

#include "supn/config/config.hpp"
#include "supn/data/kitti.hpp"
#include "supn/evaluation/split_result.hpp"

namespace supn {

struct EvaluationRequest {
  std::vector<std::filesystem::path> checkpoints;
  std::vector<std::filesystem::path> external;  // folders of other programs' maps, a row each
  bool ensemble = false;  // a row for the ensemble of all members in the sample files
  bool truth = false;     // a row for the true factors, and each model's distance to them
  Split split = Split::kTest;
  std::filesystem::path out;  // empty = nothing is written
};

// Memory does not grow with the number of images. An image without a ground-truth pixel of the
// protocol is skipped for accuracy and sparsification, with a warning and its name in the caption.
// Throws ConfigError if there is nothing to evaluate or no image has ground truth, IoError for any
// file that is missing or damaged.
SplitResult evaluate_split(const EvaluationRequest& request,
                           const Config& config,
                           c10::Device device);

}  // namespace supn
