// These options say where an image's measured depths come from.
#pragma once

#include <ATen/core/Tensor.h>

#include <CLI/App.hpp>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "supn/data/depth_points.hpp"
#include "supn/data/kitti.hpp"
#include "supn/data/lidar.hpp"
#include "supn/image_size.hpp"
#include "supn/option_fields.hpp"

namespace supn {

template <>
struct OptionNames<Camera> {
  static constexpr std::array<std::pair<std::string_view, Camera>, 2> values{
      {{"left", Camera::kLeft}, {"right", Camera::kRight}}};
};

struct MeasurementArguments {
  std::filesystem::path known;  // points.csv
  std::filesystem::path depth;  // 16-bit depth PNG
  std::filesystem::path lidar;  // scan.bin, with calibration
  std::filesystem::path calibration;
  std::int64_t lidar_columns = kLidarColumns;
  Camera camera = Camera::kLeft;
};

void declare_measurement_options(CLI::App& options, MeasurementArguments& arguments);
bool any_measurements(const MeasurementArguments& arguments);

// Measurements must agree with these sizes.
struct MeasuredSize {
  ImageSize points;                // whose pixels a list's x and y count
  std::optional<ImageSize> image;  // of a depth map or scan; none = not known
};

// Of the one source given. Throws ConfigError unless exactly one is, IoError as the readers, where a
// depth map is not of the image's size and for a source without a measurement.
DepthPointMaps read_measurements(const MeasurementArguments& arguments, const MeasuredSize& size);

// For those that take one noise for all: throws IoError for measurements with a std of their own.
at::Tensor read_depths_alone(const MeasurementArguments& arguments, const MeasuredSize& size);

}  // namespace supn
