// Scans of KITTI's laser scanner become depth maps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

#include "supn/data/calibration.hpp"

namespace supn {

inline constexpr std::int64_t kLidarColumns = 4;  // KITTI's
inline constexpr std::int64_t kMostLidarColumns = 16;

// Points float32 [P,4]: x forward, y left, z up in metres, reflectance. The file holds `columns`
// numbers a point, float32, little-endian, without a header; those after the fourth are left out,
// and without a fourth the reflectance is 0. Throws IoError for a file that is missing, empty, of
// another format by its first bytes, no multiple of the point's bytes, or larger than any scan; and
// where more than one point in a hundred is what no scanner gives in metres (coordinates beyond
// 500 m, negative or huge reflectance, numbers that hardly differ from 0), with a guess at what the
// file is: float64, other columns, big-endian, other units.
at::Tensor read_lidar_scan(const std::filesystem::path& path, std::int64_t columns = kLidarColumns);

struct ProjectedScan {
  at::Tensor depth_m;        // float32 [H,W] of the camera's size, 0 = no point
  std::int64_t visible = 0;  // points inside the image
  // Left out:
  std::int64_t non_finite = 0;   // points with a coordinate that is not finite
  std::int64_t implausible = 0;  // points that no scanner gives, as above
};

// Points with x >= 0 in front of the camera, at pixel round(u) − 1, round(v) − 1 (ties to even);
// where several fall on a pixel the nearest wins. points: floating point [P,4]. Throws c10::Error
// for another shape. See docs/method.md "KITTI files".
ProjectedScan project_scan(const at::Tensor& points, const LidarCamera& camera);

}  // namespace supn
