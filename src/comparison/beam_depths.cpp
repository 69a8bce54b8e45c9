#include "supn/comparison/beam_depths.hpp"

#include <filesystem>

#include "supn/data/calibration.hpp"
#include "supn/data/lidar_beams.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

// Of the frame's day, below data.root.
LidarCamera lidar_camera(const DataConfig& data, const Example& example) {
  const std::filesystem::path day = std::filesystem::path(example.frame.drive).parent_path();
  LidarCamera camera = read_lidar_camera(data.root / day, example.frame.camera);
  const ImageSize depth{example.depth_m.size(0), example.depth_m.size(1)};
  if (depth == camera.size) return camera;
  throw ConfigError("rows given beams: " + example.frame.id() + " has depth of " +
                    size_text(depth) + " pixels, the calibration of its day is of " +
                    size_text(camera.size));
}

}  // namespace

std::map<std::int64_t, at::Tensor> beam_depths(const DataConfig& data,
                                               const Example& example,
                                               const std::vector<std::int64_t>& counts) {
  std::map<std::int64_t, at::Tensor> depths;
  if (counts.empty()) return depths;
  const LidarCamera camera = lidar_camera(data, example);
  for (const std::int64_t count : counts) {
    depths[count] = few_beams(example.depth_m, camera, count);
  }
  return depths;
}

}  // namespace supn
