// The command line of supn_condition.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "inference/gaussian_source.hpp"
#include "inference/measurements.hpp"
#include "inference/quantity.hpp"
#include "supn/evaluation/depth/condition_image.hpp"

namespace supn {

struct ConditionArguments {
  SourceArguments source;
  std::filesystem::path image;
  MeasurementArguments measurements;
  std::optional<std::int64_t> lidar_beams;  // of 64 that may be known; none: all
  std::vector<std::int64_t> counts;         // --count-known
  ConditionOptions condition;
  std::uint64_t seed = 1;
  Quantity quantity = Quantity::kDepth;
  std::filesystem::path out;
  ConfigArguments config;  // of a split
  std::string split = "test";

  bool is_split() const { return !config.file.empty(); }
};

// Bad values are parse errors.
void declare_condition_options(CLI::App& options, ConditionArguments& arguments);

// Throws ConfigError for options that contradict each other.
void check_condition_arguments(const ConditionArguments& arguments);

}  // namespace supn
