// KITTI's calibration of a day says where a point of the laser scanner appears in a rectified
// image.
//
//   (u·w, v·w, w)ᵀ = P_rect_0c · R_rect_00 · [R|T] · (x, y, z, 1)ᵀ
//
// from <folder>/calib_cam_to_cam.txt (S_rect_0c, R_rect_00, P_rect_0c) and
// <folder>/calib_velo_to_cam.txt (R, T), lines `key: numbers`. w is the depth, in metres along the
// axis of the rectified camera. See docs/method.md "KITTI files".
#pragma once

#include <array>
#include <filesystem>

#include "supn/data/kitti.hpp"
#include "supn/image_size.hpp"

namespace supn {

struct LidarCamera {
  std::array<double, 12> projection{};  // the 3×4 matrix above, row by row
  ImageSize size;                       // of the rectified image
};

// Throws IoError "<file>:<line>: ..." for a line that is no `key: values`, a key given twice, and a
// needed key with another number of values, values that are not finite numbers, a rotation that is
// none, or a size that is no image's; "<file>: ..." where a file or a needed key is missing.
LidarCamera read_lidar_camera(const std::filesystem::path& folder, Camera camera);

}  // namespace supn
