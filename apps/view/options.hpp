// The command line of supn_view.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/config_options.hpp"
#include "inference/gaussian_source.hpp"
#include "inference/measurements.hpp"

namespace supn {

enum class Browser { kOpen, kLeave };

// depth = scale/disparity. kMedian: the ratio of medians of the image's measured depths; kAuto: the
// same where there are any, else none. Without a scale measured depths, which are metres, say
// nothing about the maps, and are left out.
enum class ViewScale { kAuto, kNone, kMedian, kFixed };

struct ViewArguments {
  SourceArguments source;
  std::filesystem::path image;  // a file, a folder or a list
  ConfigArguments config;       // or a split, with ground truth and members where they are there
  std::string split = "test";
  MeasurementArguments measurements;
  ViewScale scale = ViewScale::kAuto;
  double fixed_scale = 1.0;
  std::uint64_t seed = 1;
  int port = 0;  // 0: any that is free
  Browser browser = Browser::kOpen;
};

// Bad values are parse errors.
void declare_view_options(CLI::App& options, ViewArguments& arguments);

// Throws ConfigError for options that contradict each other.
void check_view_arguments(const ViewArguments& arguments);

}  // namespace supn
