#include "supn/io/resize.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "supn/io/image.hpp"

namespace supn {
namespace {

const std::filesystem::path kData = SUPN_SHARED_DIR "/data";

at::Tensor grid(std::int64_t height, std::int64_t width, std::int64_t channels) {
  return at::arange(height * width * channels)
      .mul(101)
      .remainder(256)
      .to(at::kByte)
      .view({height, width, channels});
}

// The filter's definition for one output pixel of a row, in floating point.
double lanczos_pixel(const std::vector<double>& row, std::int64_t x, std::int64_t width) {
  const double scale = static_cast<double>(row.size()) / static_cast<double>(width);
  const double stretch = std::max(scale, 1.0);
  double sum = 0.0;
  double weights = 0.0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double t =
        (static_cast<double>(i) + 0.5 - (static_cast<double>(x) + 0.5) * scale) / stretch;
    if (std::abs(t) >= 3.0) continue;
    const double a = std::numbers::pi * t;
    const double weight = t == 0.0 ? 1.0 : 3.0 * std::sin(a) * std::sin(a / 3.0) / (a * a);
    sum += weight * row[i];
    weights += weight;
  }
  return std::min(std::max(sum / weights, 0.0), 255.0);
}

struct Sizes {
  std::int64_t from;
  std::int64_t to;
};

class ResizeLanczos : public ::testing::TestWithParam<Sizes> {};

TEST_P(ResizeLanczos, EqualsItsDefinitionAlongEachAxis) {
  const at::Tensor image = grid(1, GetParam().from, 1);
  std::vector<double> row;
  for (std::int64_t x = 0; x < GetParam().from; ++x) row.push_back(image[0][x][0].item<double>());

  const at::Tensor wide = resize_lanczos(image, {1, GetParam().to});
  const at::Tensor tall = resize_lanczos(image.transpose(0, 1), {GetParam().to, 1});

  for (std::int64_t x = 0; x < GetParam().to; ++x) {
    EXPECT_NEAR(wide[0][x][0].item<double>(), lanczos_pixel(row, x, GetParam().to), 0.501) << x;
  }
  EXPECT_TRUE(at::equal(wide, tall.transpose(0, 1)));
}

INSTANTIATE_TEST_SUITE_P(
    Sizes,
    ResizeLanczos,
    ::testing::Values(
        Sizes{40, 13}, Sizes{13, 40}, Sizes{31, 30}, Sizes{5, 1}, Sizes{1, 4}, Sizes{64, 2}),
    [](const auto& instance) {
      return std::to_string(instance.param.from) + "to" + std::to_string(instance.param.to);
    });

TEST(ResizeLanczosImage, RoundsAfterTheRowsThenFiltersTheColumns) {
  const at::Tensor image = grid(21, 34, 3);

  const at::Tensor rows_first = resize_lanczos(resize_lanczos(image, {21, 11}), {8, 11});

  EXPECT_TRUE(at::equal(resize_lanczos(image, {8, 11}), rows_first));
}

TEST(ResizeLanczosImage, TreatsChannelsAlike) {
  for (std::int64_t channels = 1; channels <= 4; ++channels) {
    const at::Tensor image = grid(9, 14, channels);
    const at::Tensor resized = resize_lanczos(image, {5, 6});
    for (std::int64_t c = 0; c < channels; ++c) {
      const at::Tensor alone = resize_lanczos(image.narrow(2, c, 1), {5, 6});
      EXPECT_TRUE(at::equal(resized.narrow(2, c, 1), alone)) << channels << ' ' << c;
    }
  }
}

TEST(ResizeLanczosImage, KeepsSizeAndConstants) {
  const at::Tensor image = grid(7, 9, 3);
  EXPECT_TRUE(at::equal(resize_lanczos(image, {7, 9}), image));
  for (const int level : {0, 1, 128, 255}) {
    const at::Tensor flat = at::full({50, 60, 3}, level, at::kByte);
    EXPECT_TRUE(at::equal(resize_lanczos(flat, {17, 23}), at::full({17, 23, 3}, level, at::kByte)));
  }
}

TEST(ResizeLanczosImage, RefusesOtherTensors) {
  EXPECT_THROW(resize_lanczos(at::zeros({4, 4, 3}), {2, 2}), c10::Error);
  EXPECT_THROW(resize_lanczos(at::zeros({4, 4, 5}, at::kByte), {2, 2}), c10::Error);
  EXPECT_THROW(resize_lanczos(at::zeros({4, 4, 3}, at::kByte), {0, 2}), c10::Error);
}

struct Golden {
  std::string name;
  std::string image;
  std::string resized;
};

class ResizeLanczosGolden : public ::testing::TestWithParam<Golden> {};

TEST_P(ResizeLanczosGolden, EqualsPilOnAPhotograph) {
  if (!std::filesystem::exists(kData)) GTEST_SKIP() << kData << " is not there";
  const at::Tensor image = read_rgb(kData / "kitti_mini/2011_09_26" / GetParam().image);
  const at::Tensor expected = read_rgb(kData / GetParam().resized);

  const at::Tensor resized = resize_lanczos(image, {192, 640});

  const at::Tensor difference = resized.to(at::kInt).sub(expected.to(at::kInt)).abs();
  const auto largest = difference.max().item<int>();
  const double unequal =
      difference.ne(0).sum().item<double>() / static_cast<double>(expected.numel());
  RecordProperty("largest_difference", largest);
  RecordProperty("share_unequal", std::to_string(unequal));
  std::printf("largest difference %d, share of unequal values %.6f\n", largest, unequal);
  EXPECT_LE(largest, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Photographs,
    ResizeLanczosGolden,
    ::testing::Values(
        Golden{"drive13frame20",
               "2011_09_26_drive_0013_sync/image_02/data/0000000020.jpg",
               "members/golden/2011_09_26_drive_0013_sync_0000000020_input_640x192.png"},
        Golden{"drive2frame3",
               "2011_09_26_drive_0002_sync/image_02/data/0000000003.jpg",
               "members/golden/2011_09_26_drive_0002_sync_0000000003_input_640x192.png"}),
    [](const auto& instance) { return instance.param.name; });

TEST(ResizeLanczosImage, TakesMillisecondsForAKittiImage) {
  const at::Tensor image = grid(375, 1242, 3);
  double best = 1e9;
  for (int run = 0; run < 10; ++run) {
    const std::clock_t start = std::clock();
    resize_lanczos(image, {192, 640});
    best = std::min(best, 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf("1242x375 to 640x192: %.2f ms\n", best);
  // Of processor time, since other tests run beside this; sanitizers are slower than the 8 ms that
  // it is made for.
  EXPECT_LT(best, 200.0);
}

TEST(ResizeBilinear, UsesHalfPixelCentres) {
  const at::Tensor row = at::tensor({0.0F, 4.0F}).view({1, 1, 2});

  const at::Tensor resized = resize_bilinear(row, {1, 4});

  EXPECT_TRUE(at::equal(resized, at::tensor({0.0F, 1.0F, 3.0F, 4.0F}).view({1, 1, 4})));
}

TEST(ResizeBilinear, TakesBatches) {
  const at::Tensor maps = at::arange(2 * 3 * 4 * 5).to(at::kDouble).view({2, 3, 4, 5});

  const at::Tensor resized = resize_bilinear(maps, {8, 7});

  ASSERT_EQ(resized.sizes(), (at::IntArrayRef{2, 3, 8, 7}));
  EXPECT_TRUE(at::equal(resized[1], resize_bilinear(maps[1], {8, 7})));
  EXPECT_THROW(resize_bilinear(maps[0][0], {8, 7}), c10::Error);
}

}  // namespace
}  // namespace supn
