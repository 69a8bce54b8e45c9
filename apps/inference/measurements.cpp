#include "inference/measurements.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/spdlog.h>

#include <string>

#include "common/choice_option.hpp"
#include "supn/data/frame_depth.hpp"
#include "supn/data/lidar.hpp"
#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"

namespace supn {
namespace {

at::Tensor read_lidar(const MeasurementArguments& arguments) {
  if (arguments.calibration.empty()) {
    throw ConfigError(
        "--lidar needs --calibration DIR: the folder of calib_cam_to_cam.txt and "
        "calib_velo_to_cam.txt");
  }
  const LidarCamera camera = read_lidar_camera(arguments.calibration, arguments.camera);
  const at::Tensor points = read_lidar_scan(arguments.lidar, arguments.lidar_columns);
  const ProjectedScan scan = project_scan(points, camera);
  spdlog::info("{}: {} of {} points are in the image",
               arguments.lidar.string(),
               scan.visible,
               points.size(0));
  if (scan.non_finite > 0) {
    spdlog::warn("{}: {} points are not finite and were left out",
                 arguments.lidar.string(),
                 scan.non_finite);
  }
  if (scan.implausible > 0) {
    spdlog::warn("{}: {} points are none that a scanner gives in metres and were left out",
                 arguments.lidar.string(),
                 scan.implausible);
  }
  if (scan.visible == 0) {
    throw IoError(arguments.lidar,
                  "no point of this scan is in the image; check --calibration and --camera, and "
                  "that x, y, z are metres");
  }
  return scan.depth_m;
}

}  // namespace

void declare_measurement_options(CLI::App& options, MeasurementArguments& arguments) {
  const char* group = "Measured depths (one of --known, --depth, --lidar)";
  const auto add = [&](const std::string& flag,
                       std::filesystem::path& value,
                       const std::string& doc,
                       const std::string& type) {
    options.add_option(flag, value, doc)
        ->type_name(type)
        ->always_capture_default(false)
        ->group(group);
  };
  add("--known",
      arguments.known,
      "lines x,y,depth_m (with this header), pixels from 0; a fourth column std_m gives each point "
      "its own std; of points on one pixel of the maps the nearest is taken, those with a std add "
      "up",
      "CSV");
  add("--depth", arguments.depth, "16-bit depth PNG: 256 x metres, 0 = none", "PNG");
  add("--lidar", arguments.lidar, "KITTI laser scan: float32 x, y, z, reflectance", "BIN");
  options
      .add_option("--lidar-columns",
                  arguments.lidar_columns,
                  "numbers of a point in --lidar: 4, or 5 with a ring's number, 3 without "
                  "reflectance")
      ->check(CLI::Range(std::int64_t{3}, kMostLidarColumns))
      ->group(group);
  add("--calibration",
      arguments.calibration,
      "with --lidar: folder of calib_cam_to_cam.txt and calib_velo_to_cam.txt",
      "DIR");
  add_choice(
      options, "--camera", arguments.camera, "with --lidar: the image's camera, left or right");
  options.get_option("--camera")->group(group);
}

bool any_measurements(const MeasurementArguments& arguments) {
  return !arguments.known.empty() || !arguments.depth.empty() || !arguments.lidar.empty();
}

DepthPointMaps read_measurements(const MeasurementArguments& arguments, const MeasuredSize& size) {
  const int sources = (arguments.known.empty() ? 0 : 1) + (arguments.depth.empty() ? 0 : 1) +
                      (arguments.lidar.empty() ? 0 : 1);
  if (sources != 1) {
    throw ConfigError("give one of --known points.csv, --depth depth16.png and --lidar scan.bin");
  }
  if (!arguments.known.empty()) return read_depth_points(arguments.known, size.points);
  const bool is_scan = !arguments.lidar.empty();
  at::Tensor depth_m = is_scan ? read_lidar(arguments) : read_depth_png(arguments.depth);
  if (size.image) {
    check_depth_size(is_scan ? arguments.lidar : arguments.depth,
                     {depth_m.size(0), depth_m.size(1)},
                     *size.image);
  }
  if (depth_m.gt(0).any().item<bool>()) return {depth_m};
  throw IoError(arguments.depth,
                "measures no pixel: all values are 0; give a 16-bit PNG of 256 x metres");
}

at::Tensor read_depths_alone(const MeasurementArguments& arguments, const MeasuredSize& size) {
  const DepthPointMaps points = read_measurements(arguments, size);
  if (!points.std_m.defined()) return points.depth_m;
  throw IoError(
      arguments.known,
      "column std_m: one noise is taken for all points here; leave the column out, or use "
      "supn_condition");
}

}  // namespace supn
