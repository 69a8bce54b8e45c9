#include "supn/evaluation/scores/texture.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

at::Tensor noise(std::int64_t count, std::int64_t height, std::int64_t width) {
  const std::array<std::uint64_t, 1> seeds{3};
  return standard_normal(
      seeds, {0, count}, {height, width}, at::TensorOptions().dtype(at::kDouble))[0];
}

// First-order autoregression along rows: correlation a^h at distance h.
at::Tensor autoregression(double a, std::int64_t count, std::int64_t height, std::int64_t width) {
  const at::Tensor values = noise(count, height, width);
  for (std::int64_t x = 1; x < width; ++x) {
    values.select(2, x).mul_(std::sqrt(1.0 - a * a)).add_(values.select(2, x - 1), a);
  }
  return values;
}

TEST(Texture, OfIndependentPixelsIsRough) {
  const Texture result = texture(noise(40, 64, 64));
  EXPECT_NEAR(result.roughness, std::sqrt(2.0), 0.01);
  // The correlation falls from 1 to 0 within a pixel: to 1/e at 1 − 1/e.
  EXPECT_NEAR(result.length_rows, 1.0 - std::exp(-1.0), 0.02);
  EXPECT_NEAR(result.length_columns, 1.0 - std::exp(-1.0), 0.02);
}

TEST(Texture, FindsTheLengthOfAnAutoregression) {
  const double a = 0.9;
  const Texture result = texture(autoregression(a, 200, 32, 200));
  EXPECT_NEAR(result.length_rows, -1.0 / std::log(a), 0.4);
  EXPECT_NEAR(result.length_columns, 1.0 - std::exp(-1.0), 0.03);
  // Horizontal differences have variance 2(1 − a), vertical ones 2; nearly as many of both.
  EXPECT_NEAR(result.roughness, std::sqrt(2.0 - a), 0.01);
}

TEST(Texture, DoesNotHangOnScaleOrMean) {
  const at::Tensor values = noise(5, 20, 30);
  const Texture one = texture(values);
  const Texture other = texture(values * 7.0 + values.mean(0) * 100.0);
  EXPECT_NEAR(one.roughness, other.roughness, 1e-9);
  EXPECT_NEAR(one.length_rows, other.length_rows, 1e-9);
}

TEST(Texture, OfRigidMapsIsAsLongAsHalfTheImage) {
  const at::Tensor offsets = noise(6, 1, 1).view({6, 1, 1});
  const Texture result = texture(offsets.expand({6, 16, 40}));
  EXPECT_NEAR(result.roughness, 0.0, 1e-12);
  EXPECT_EQ(result.length_rows, 20.0);
  EXPECT_EQ(result.length_columns, 8.0);
}

TEST(Texture, IsNotANumberWhereThereIsNone) {
  EXPECT_TRUE(std::isnan(texture(at::ones({3, 4, 4}, at::kDouble)).roughness));
  at::Tensor values = noise(3, 4, 4);
  values[0][0][0] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(texture(values).length_rows));
  EXPECT_THROW(texture(at::zeros({1, 4, 4})), c10::Error);
}

}  // namespace
}  // namespace supn
