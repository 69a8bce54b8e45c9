// How much known points help, over the images of a split: a row for each number of points.
#pragma once

#include <filesystem>
#include <string>

#include "condition/options.hpp"
#include "inference/gaussian_source.hpp"
#include "supn/config/config.hpp"
#include "supn/evaluation/table.hpp"

namespace supn {

struct ConditionedSplit {
  Table table;
  std::string per_image_csv;
};

// Known points come from each image's ground truth; 25 of them are the first 25 of the 50 and so
// on, and every row is judged on the same held-back points: those outside the largest set. The
// scale comes from the largest set (or is fixed) and is the same for all rows. Images with no
// ground truth, or not enough of it, are skipped with a warning. Throws ConfigError where no image
// is left, IoError for files that are missing or damaged.
ConditionedSplit condition_split(GaussianSource& source,
                                 const Config& config,
                                 const ConditionArguments& arguments);

// table.txt, table.csv, table.json, table.tex and per_image.csv, each written aside and renamed.
void write_split(const ConditionedSplit& result, const std::filesystem::path& folder);

}  // namespace supn
