#include "supn/evaluation/depth/scattered.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/isin.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace supn {
namespace {

const ImageSize kMapSize{24, 40};

at::Tensor plane(double along_x, double along_y) {
  const at::Tensor pixels = at::arange(kMapSize.height * kMapSize.width, at::kLong);
  return pixels.remainder(kMapSize.width).to(at::kDouble) * along_x +
         pixels.div(kMapSize.width, "floor").to(at::kDouble) * along_y + 1.5;
}

// Corners included, the triangles cover the image: a plane comes back as it is.
TEST(Scattered, InterpolatesAPlaneExactly) {
  at::manual_seed(2);
  const at::Tensor truth = plane(0.3, -0.7);
  for (const std::int64_t count : {4, 9, 200, 960}) {
    const at::Tensor corners = at::tensor({0, 39, 920, 959}, at::kLong);
    at::Tensor pixels = at::randperm(960, at::kLong);
    pixels = at::cat({corners, pixels.masked_select(at::isin(pixels, corners).logical_not())});
    pixels = pixels.narrow(0, 0, count);
    const at::Tensor map = interpolate_scattered(pixels, truth.index_select(0, pixels), kMapSize);
    EXPECT_TRUE(map.flatten().allclose(truth, 1e-9, 1e-9)) << count;
  }
}

TEST(Scattered, TakesTheNearestOutsideOfTheTriangles) {
  const at::Tensor pixels = at::tensor({5 * 40 + 5, 5 * 40 + 15, 15 * 40 + 5}, at::kLong);
  const at::Tensor map =
      interpolate_scattered(pixels, at::tensor({1.0, 2.0, 4.0}, at::kDouble), kMapSize);
  EXPECT_EQ(map[0][0].item<double>(), 1.0);
  EXPECT_EQ(map[5][39].item<double>(), 2.0);
  EXPECT_EQ(map[23][5].item<double>(), 4.0);
  EXPECT_NEAR(map[5][10].item<double>(), 1.5, 1e-12);
}

TEST(Scattered, IsNearestForPointsOnALineOrASinglePoint) {
  const at::Tensor line = at::tensor({5 * 40 + 4, 5 * 40 + 10, 5 * 40 + 30}, at::kLong);
  const at::Tensor map =
      interpolate_scattered(line, at::tensor({1.0, 2.0, 3.0}, at::kDouble), kMapSize);
  EXPECT_EQ(map[20][0].item<double>(), 1.0);
  EXPECT_EQ(map[0][39].item<double>(), 3.0);
  const at::Tensor one = interpolate_scattered(line.narrow(0, 1, 1), at::tensor({7.0}), kMapSize);
  EXPECT_TRUE(one.eq(7.0).all().item<bool>());
}

TEST(Scattered, RejectsPointsOutsideAndNone) {
  const at::Tensor value = at::tensor({1.0}, at::kDouble);
  EXPECT_THROW(interpolate_scattered(at::tensor({960}, at::kLong), value, kMapSize), c10::Error);
  EXPECT_THROW(interpolate_scattered(at::arange(0, at::kLong), at::arange(0), kMapSize),
               c10::Error);
}

}  // namespace
}  // namespace supn
