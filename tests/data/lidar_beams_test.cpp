#include "supn/data/lidar_beams.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supn/data/lidar.hpp"

namespace supn {
namespace {

// Camera of KITTI's size and focal length; its axes are the scanner's turned, 0.3 m before and 0.1 m
// below it: depth = x − 0.3, u = 600 − 720·y/depth, v = 170 − 720·(z + 0.1)/depth.
const LidarCamera kScanCamera{{600, -720, 0, -180, 170, 0, -720, -123, 1, 0, 0, -0.3}, {375, 1242}};

// A point of each azimuth on the beam of that elevation.
at::Tensor beam(double degrees, double distance) {
  at::Tensor points = at::zeros({41, 4}, at::kFloat);
  const double elevation = degrees * std::numbers::pi / 180.0;
  for (int i = 0; i < 41; ++i) {
    const double azimuth = 0.02 * (i - 20);
    points[i][0] = distance * std::cos(elevation) * std::cos(azimuth);
    points[i][1] = distance * std::cos(elevation) * std::sin(azimuth);
    points[i][2] = distance * std::sin(elevation);
  }
  return points;
}

std::int64_t count_points(const at::Tensor& map) { return map.gt(0).sum().item<std::int64_t>(); }

TEST(LidarBeams, AreTheNearestByElevation) {
  const at::Tensor found = nearest_beams(
      at::tensor({9.0, 2.0, 1.7, 1.5, -8.33, -8.5, -8.7, -9.3, -24.4, -40.0}, at::kDouble));
  EXPECT_TRUE(found.equal(at::tensor({0, 0, 1, 2, 31, 31, 32, 33, 63, 63}, at::kLong))) << found;
}

TEST(LidarBeams, OfAMapAreSeenFromTheScanner) {
  for (const double distance : {5.0, 12.0, 60.0}) {
    const at::Tensor single = project_scan(beam(-6.0, distance), kScanCamera).depth_m;
    ASSERT_GT(count_points(single), 35);
    EXPECT_TRUE(few_beams(single, kScanCamera, 1).equal(single)) << distance;
    const at::Tensor next = project_scan(beam(-6.0 - 1.0 / 3.0, distance), kScanCamera).depth_m;
    EXPECT_EQ(count_points(few_beams(next, kScanCamera, 1)), 0) << distance;
    EXPECT_EQ(count_points(few_beams(next, kScanCamera, 32)), 0) << distance;
    EXPECT_TRUE(few_beams(next, kScanCamera, 64).equal(next)) << distance;
  }
}

TEST(LidarBeams, OfFewAreSomeOfThoseOfMore) {
  at::Tensor map = at::zeros({375, 1242}, at::kFloat);
  for (int k = 0; k < 32; ++k) {
    map = map.maximum(project_scan(beam(2.0 - k / 3.0, 30.0), kScanCamera).depth_m);
  }
  std::int64_t last = count_points(map);
  at::Tensor more = map;
  for (const std::int64_t count : {32, 16, 8, 4, 2, 1}) {
    const at::Tensor few = few_beams(map, kScanCamera, count);
    EXPECT_EQ(count_points(few.masked_select(more.eq(0))), 0) << count;
    EXPECT_NEAR(static_cast<double>(count_points(few)), static_cast<double>(last) / 2.0, 41.0)
        << count;
    last = count_points(few);
    more = few;
  }
  EXPECT_EQ(last, 41);
}

TEST(LidarBeams, RejectOtherSizesAndCounts) {
  const at::Tensor map = at::zeros({375, 1242}, at::kFloat);
  EXPECT_THROW(few_beams(at::zeros({375, 1241}), kScanCamera, 4), c10::Error);
  for (const std::int64_t count : {0, 3, 128, -4}) {
    EXPECT_THROW(few_beams(map, kScanCamera, count), c10::Error) << count;
  }
  EXPECT_EQ(count_points(few_beams(map, kScanCamera, 4)), 0);
}

}  // namespace
}  // namespace supn
