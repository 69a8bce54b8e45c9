#include "supn/io/marks.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <array>

namespace supn {
namespace {

at::Tensor picture(std::int64_t height, std::int64_t width) {
  return at::full({height, width, 3}, 100, at::kByte);
}

at::Tensor colour(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  at::Tensor row = at::zeros({1, 3}, at::kByte);
  row.mutable_data_ptr<std::uint8_t>()[0] = red;
  row.mutable_data_ptr<std::uint8_t>()[1] = green;
  row.mutable_data_ptr<std::uint8_t>()[2] = blue;
  return row;
}

TEST(Marks, DotsAreSquaresCutOffAtTheBorder) {
  const at::Tensor before = picture(5, 7);
  const at::Tensor after =
      with_dots(before, at::full({1}, 7, at::kLong), colour(1, 2, 3), 1);  // pixel (1, 0)

  EXPECT_EQ(after.ne(before).any(2).sum().item<std::int64_t>(), 3 * 2);
  EXPECT_TRUE(after[2][1].equal(colour(1, 2, 3)[0]));
  EXPECT_TRUE(after[3][0].equal(before[3][0]));
  EXPECT_TRUE(before.eq(100).all().item<bool>());
}

TEST(Marks, RadiusZeroIsOnePixel) {
  const at::Tensor after =
      with_dots(picture(2, 2), at::full({1}, 3, at::kLong), colour(9, 9, 9), 0);
  EXPECT_EQ(after.eq(9).sum().item<std::int64_t>(), 3);
  EXPECT_EQ(after[1][1][0].item<std::int64_t>(), 9);
}

TEST(Marks, RingLeavesItsCentre) {
  const at::Tensor before = picture(21, 21);
  const at::Tensor after = with_ring(before, 10 * 21 + 10);

  EXPECT_TRUE(after.narrow(0, 8, 5).narrow(1, 8, 5).eq(100).all().item<bool>());
  EXPECT_TRUE(after[10][16].eq(0).all().item<bool>());
  EXPECT_TRUE(after[4][10].eq(0).all().item<bool>());
  EXPECT_TRUE(after.eq(255).any().item<bool>());
  EXPECT_NO_THROW(with_ring(picture(1, 1), 0));
}

TEST(Marks, RejectPixelsOutsideAndOtherShapes) {
  EXPECT_THROW(with_ring(picture(2, 2), 4), c10::Error);
  EXPECT_THROW(with_ring(at::zeros({2, 2}, at::kByte), 0), c10::Error);
  EXPECT_THROW(with_dots(picture(2, 2), at::full({1}, -1, at::kLong), colour(0, 0, 0), 1),
               c10::Error);
  EXPECT_THROW(
      with_dots(picture(2, 2), at::full({3}, 1, at::kLong), at::zeros({2, 3}, at::kByte), 1),
      c10::Error);
}

}  // namespace
}  // namespace supn
