// What a loop over the images of a split is told of its data, and what it tells.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "supn/data/data_config.hpp"
#include "supn/evaluation/evaluation_config.hpp"

namespace supn {

struct ComparisonConfig {
  const DataConfig& data;
  const EvaluationConfig& evaluation;
};

// Told how many images of all are done, first of all none. What it throws ends the loop.
using ImageCounter = std::function<void(std::int64_t done, std::int64_t images)>;

struct ComparisonObserver {
  ImageCounter on_image = [](std::int64_t, std::int64_t) {};
  std::function<void(const std::string&)> on_warning = [](const std::string&) {};
};

}  // namespace supn
