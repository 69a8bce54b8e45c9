#include "gaussian/large_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace supn {
namespace {

constexpr auto kMegabyte = static_cast<std::int64_t>((std::size_t{1} << 20) / sizeof(double));

// Takes a buffer, gives it back at once and returns where it was.
double* place_of_one(std::int64_t count) { return LargeBuffer(count).data(); }

TEST(LargeBuffer, IsKeptForTheNextOfItsSize) {
  double* const place = place_of_one(3 * kMegabyte);
  EXPECT_EQ(place_of_one(3 * kMegabyte), place);
  EXPECT_EQ(LargeBuffer::of<float>(6 * kMegabyte).data(), place);
}

TEST(LargeBuffer, IsSharedByNoTwo) {
  const LargeBuffer first(3 * kMegabyte);
  const LargeBuffer second(3 * kMegabyte);
  EXPECT_NE(first.data(), second.data());
}

TEST(LargeBuffer, OfTwiceTheSizeIsLeftForOthers) {
  double* const place = place_of_one(20 * kMegabyte);
  const LargeBuffer small(7 * kMegabyte);
  EXPECT_NE(small.data(), place);
  EXPECT_EQ(place_of_one(20 * kMegabyte), place);
}

TEST(LargeBuffer, LargerThanAllThatIsKeptPushesNothingOut) {
  double* const place = place_of_one(40 * kMegabyte);
  place_of_one(100 * kMegabyte);
  EXPECT_EQ(place_of_one(40 * kMegabyte), place);
}

TEST(LargeBuffer, MoreThanOneMayBeKept) {
  double* first = nullptr;
  double* second = nullptr;
  {
    const LargeBuffer one(3 * kMegabyte);
    const LargeBuffer other(3 * kMegabyte);
    first = one.data();
    second = other.data();
  }
  const LargeBuffer one(3 * kMegabyte);
  const LargeBuffer other(3 * kMegabyte);
  EXPECT_TRUE((one.data() == first && other.data() == second) ||
              (one.data() == second && other.data() == first));
}

}  // namespace
}  // namespace supn
