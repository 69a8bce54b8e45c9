// The table shows how much known points help over the images of a split, with a row for each number
// of points.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "supn/comparison/observer.hpp"
#include "supn/data/kitti.hpp"
#include "supn/evaluation/depth/condition_image.hpp"
#include "supn/evaluation/tables/split_result.hpp"
#include "supn/gaussian/isotropic_field.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct ConditionedSplit {
  // The Gaussian of an image (uint8 [H,W,3]) and its name; on any device.
  std::function<StructuredGaussian(const at::Tensor& rgb, const std::string& name)> predict;
  std::optional<IsotropicField> isotropic = std::nullopt;  // for one more rival
  std::string calibration = {};                            // for the caption
  std::vector<std::int64_t> counts = {};                   // of known points; none: 25 to 200
  ConditionOptions condition = {};                         // but for the count
  std::uint64_t seed = 1;
  Split split = Split::kTest;
};

// Known points come from each image's ground truth; 25 of them are the first 25 of the 50 and so
// on, and every row is judged on the same held-back points: those outside the largest set. The
// scale comes from the largest set (or is fixed) and is the same for all rows. Images with no
// ground truth, or not enough of it, are skipped with a warning. Throws ConfigError where no image
// is left, IoError for files that are missing or damaged.
SplitResult condition_split(const ConditionedSplit& request,
                            const ComparisonConfig& config,
                            const ComparisonObserver& observer);

}  // namespace supn
