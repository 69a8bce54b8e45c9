#include "supn/data/augmentation.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace supn {
namespace {

at::Tensor every_level() {
  return at::arange(256).to(at::kByte).view({8, 32, 1}).repeat({1, 1, 3});
}

TEST(DrawAugmentation, IsAFunctionOfSeedEpochAndIndex) {
  const AugmentationConfig config;
  std::set<double> brightness;
  for (const DrawKey key : {DrawKey{1, 2, 3},
                            DrawKey{2, 2, 3},
                            DrawKey{1, 3, 3},
                            DrawKey{1, 2, 4},
                            DrawKey{std::uint64_t{1} << 40, 2, 3}}) {
    const Augmentation first = draw_augmentation(key, config);
    const Augmentation again = draw_augmentation(key, config);
    EXPECT_EQ(first.mirror, again.mirror);
    EXPECT_EQ(first.gamma, again.gamma);
    EXPECT_EQ(first.channel_gain, again.channel_gain);
    brightness.insert(first.brightness);
  }
  EXPECT_EQ(brightness.size(), 5U);
}

TEST(DrawAugmentation, FillsItsRangesEvenly) {
  const AugmentationConfig config;
  constexpr int kDraws = 4000;
  int mirrored = 0;
  double sums[3] = {};
  double least = 2.0;
  double most = 0.0;
  for (std::int64_t i = 0; i < kDraws; ++i) {
    const Augmentation drawn = draw_augmentation({7, 0, i}, config);
    if (drawn.mirror == Mirror::kHorizontal) ++mirrored;
    EXPECT_LE(std::abs(drawn.brightness - 1.0), 0.2);
    EXPECT_LE(std::abs(drawn.gamma - 1.0), 0.2);
    for (const double gain : drawn.channel_gain) EXPECT_LE(std::abs(gain - 1.0), 0.1);
    sums[0] += drawn.brightness;
    sums[1] += drawn.gamma;
    sums[2] += drawn.channel_gain[2];
    least = std::min(least, drawn.brightness);
    most = std::max(most, drawn.brightness);
  }
  EXPECT_NEAR(mirrored, kDraws / 2, 5 * std::sqrt(kDraws / 4.0));
  for (const double sum : sums) EXPECT_NEAR(sum / kDraws, 1.0, 5 * 0.2 / std::sqrt(3.0 * kDraws));
  EXPECT_LT(least, 0.81);
  EXPECT_GT(most, 1.19);
}

TEST(DrawAugmentation, DrawsNothingWhereNothingIsAllowed) {
  const AugmentationConfig none{0.0, 0.0, 0.0, 0.0};
  for (std::int64_t i = 0; i < 20; ++i) {
    const Augmentation drawn = draw_augmentation({7, 0, i}, none);
    EXPECT_EQ(drawn.mirror, Mirror::kNone);
    EXPECT_EQ(drawn.brightness, 1.0);
    EXPECT_EQ(drawn.gamma, 1.0);
    EXPECT_EQ(drawn.channel_gain, (std::array<double, 3>{1.0, 1.0, 1.0}));
  }
}

TEST(AugmentedImage, IsTheImageIn0To1WithoutAugmentation) {
  const at::Tensor image = augmented_image(every_level(), Augmentation());

  ASSERT_EQ(image.sizes(), (at::IntArrayRef{3, 8, 32}));
  EXPECT_TRUE(
      at::allclose(image[1].flatten(), at::arange(256).to(at::kFloat).div(255.0F), 0, 1e-7));
}

TEST(AugmentedImage, FollowsItsFormulaPerChannel) {
  const Augmentation change{Mirror::kNone, 1.2, 0.85, {0.9, 1.0, 1.1}};

  const at::Tensor image = augmented_image(every_level(), change);

  const at::Tensor level = at::arange(256).to(at::kDouble).div(255.0);
  for (std::int64_t c = 0; c < 3; ++c) {
    const double gain = change.channel_gain[static_cast<std::size_t>(c)];
    const at::Tensor expected = level.mul(1.2).clamp(0, 1).pow(0.85).mul(gain).clamp(0, 1);
    EXPECT_TRUE(at::allclose(image[c].flatten().to(at::kDouble), expected, 0, 1e-6)) << c;
  }
}

TEST(AugmentedImage, IsMirroredAlongItsWidth) {
  const at::Tensor plain = augmented_image(every_level(), Augmentation());

  const at::Tensor mirrored = augmented_image(every_level(), {.mirror = Mirror::kHorizontal});

  EXPECT_TRUE(at::equal(mirrored, plain.flip(-1)));
  EXPECT_THROW(augmented_image(at::zeros({4, 4}, at::kByte), Augmentation()), c10::Error);
}

TEST(AugmentedMaps, AreMirroredAndNothingElse) {
  const at::Tensor maps = at::arange(2 * 3 * 5).to(at::kFloat).view({2, 3, 5});

  EXPECT_TRUE(at::equal(augmented_maps(maps, {Mirror::kHorizontal, 1.2, 0.8, {0.9, 0.9, 0.9}}),
                        maps.flip(-1)));
  EXPECT_TRUE(at::equal(augmented_maps(maps.transpose(0, 2), {.mirror = Mirror::kHorizontal}),
                        maps.transpose(0, 2).flip(-1)));
  EXPECT_TRUE(at::equal(augmented_maps(maps, {Mirror::kNone, 1.2, 0.8, {0.9, 0.9, 0.9}}), maps));
}

}  // namespace
}  // namespace supn
