// Beams of KITTI's laser scanner, a Velodyne HDL-64E, in depth maps: what a scanner of fewer beams
// would have measured. A point is of the beam whose nominal elevation is nearest to its own, seen
// from the scanner; a scanner's own calibration moves its beams by some tenths of a degree, so that
// a beam here may hold parts of two neighbours.
//
//   beam k = 0 … 31: 2° − k/3      k = 32 … 63: −8.83° − (k − 32)/2
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/data/calibration.hpp"

namespace supn {

inline constexpr std::int64_t kLidarBeams = 64;

// Of elevations in degrees, float64 [P] → int64 [P].
at::Tensor nearest_beams(const at::Tensor& elevation);

// depth_m [H,W] of the camera's size, metres, 0 = none, of one scan → the same map with the points
// of `count` beams alone: those k with k ≡ 24 modulo 64/count, so that fewer are some of more, and a
// single one is at −6°, 16 m ahead on flat ground. Throws c10::Error for a map of another size, and a
// count that is no power of two up to 64.
at::Tensor few_beams(const at::Tensor& depth_m, const LidarCamera& camera, std::int64_t count);

}  // namespace supn
