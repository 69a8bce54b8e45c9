#include "network/class_layout.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace supn {
namespace {

constexpr std::int64_t kLevels = 5;
constexpr std::int64_t kMaps = 2;

// Random maps with more cells than any class has pixels.
std::vector<at::Tensor> random_maps(const ImageSize& size, std::int64_t classes) {
  std::vector<at::Tensor> maps;
  for (std::int64_t level = 0; level <= kLevels; ++level) {
    const std::int64_t own = level < kLevels ? classes : 1;
    maps.push_back(at::randn(
        {2, own * kMaps, (size.height >> level) + 2, (size.width >> level) + 2}, at::kDouble));
  }
  return maps;
}

class ClassLayout : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(ClassLayout, PutsEveryPixelsMapsInItsPlace) {
  const Neighbourhood order(CoarseToFine{.classes = GetParam()});
  for (const ImageSize size : {ImageSize{64, 128}, ImageSize{48, 80}, ImageSize{37, 101}}) {
    at::manual_seed(1);
    const std::vector<at::Tensor> maps = random_maps(size, GetParam());

    const at::Tensor image =
        in_image_layout(maps, order, at::zeros({2, 1, size.height, size.width}, at::kDouble));

    ASSERT_EQ(image.sizes(), at::IntArrayRef({2, kMaps, size.height, size.width}));
    std::vector<std::int64_t> classes(kLevels + 1, 0);
    for (const PixelClass& pixels : order.classes({128, 128})) {
      const std::int64_t place = classes[static_cast<std::size_t>(pixels.level)]++;
      const at::Tensor& own = maps[static_cast<std::size_t>(pixels.level)];
      for (std::int64_t y = pixels.row, i = 0; y < size.height; y += pixels.stride, ++i) {
        for (std::int64_t x = pixels.column, j = 0; x < size.width; x += pixels.stride, ++j) {
          ASSERT_TRUE(image.select(3, x).select(2, y).equal(
              own.narrow(1, place * kMaps, kMaps).select(3, j).select(2, i)))
              << y << ", " << x;
        }
      }
    }
  }
}

TEST_P(ClassLayout, HasTheAdjointForItsGradient) {
  at::manual_seed(2);
  const ImageSize size{37, 101};
  const Neighbourhood order(CoarseToFine{.classes = GetParam()});
  std::vector<at::Tensor> maps = random_maps(size, GetParam());
  for (at::Tensor& map : maps) map.requires_grad_();
  const at::Tensor image = at::zeros({2, 1, size.height, size.width}, at::kDouble);
  const at::Tensor outer = at::randn({2, kMaps, size.height, size.width}, at::kDouble);

  const at::Tensor product = (in_image_layout(maps, order, image) * outer).sum();
  product.backward();

  at::Tensor sum = at::zeros({}, at::kDouble);
  std::int64_t read = 0;
  for (const at::Tensor& map : maps) {
    sum = sum + (map.detach() * map.grad()).sum();
    read += map.grad().ne(0).sum().item<std::int64_t>();
  }
  EXPECT_NEAR(sum.item<double>(), product.item<double>(), 1e-9);
  EXPECT_EQ(read, outer.numel());  // each pixel's maps are read once
}

INSTANTIATE_TEST_SUITE_P(Classes, ClassLayout, ::testing::Values(3, 12));

TEST(InImageLayout, RefusesAnImageWithoutAllLevels) {
  const Neighbourhood order{CoarseToFine{}};
  EXPECT_THROW(in_image_layout(random_maps({16, 64}, 12), order, at::zeros({2, 1, 16, 64})),
               c10::Error);
}

}  // namespace
}  // namespace supn
