// The table shows how much known points help over the images of a split, with a row for each number
// of points.
#pragma once

#include "condition/options.hpp"
#include "inference/gaussian_source.hpp"
#include "supn/config/config.hpp"
#include "supn/evaluation/tables/split_result.hpp"

namespace supn {

// Known points come from each image's ground truth; 25 of them are the first 25 of the 50 and so
// on, and every row is judged on the same held-back points: those outside the largest set. The
// scale comes from the largest set (or is fixed) and is the same for all rows. Images with no
// ground truth, or not enough of it, are skipped with a warning. Throws ConfigError where no image
// is left, IoError for files that are missing or damaged.
SplitResult condition_split(GaussianSource& source,
                            const Config& config,
                            const ConditionArguments& arguments);

}  // namespace supn
