// Scans of KITTI's laser scanner as depth maps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

#include "supn/data/calibration.hpp"

namespace supn {

// Points float32 [P,4]: x forward, y left, z up in metres, reflectance, little-endian, without a
// header. Throws IoError for a file that is missing, empty, cut off (no multiple of 16 bytes) or
// larger than any scan.
at::Tensor read_lidar_scan(const std::filesystem::path& path);

struct ProjectedScan {
  at::Tensor depth_m;           // float32 [H,W] of the camera's size, 0 = no point
  std::int64_t visible = 0;     // points inside the image
  std::int64_t non_finite = 0;  // points with a coordinate that is not finite; they are left out
};

// Points with x >= 0 in front of the camera, at pixel round(u) − 1, round(v) − 1 (ties to even);
// where several fall on a pixel the nearest wins. points: floating point [P,4]. Throws c10::Error
// for another shape. See docs/method.md "KITTI files".
ProjectedScan project_scan(const at::Tensor& points, const LidarCamera& camera);

}  // namespace supn
