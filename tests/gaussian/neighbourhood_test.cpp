#include "supn/gaussian/neighbourhood.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gaussian_fixture.hpp"

namespace supn {
namespace {

TEST(Neighbourhood, Radius0HasNoNeighbours) {
  const Neighbourhood neighbourhood(0);
  EXPECT_EQ(neighbourhood.size(), 0);
  EXPECT_EQ(neighbourhood.exact_sweeps(192, 640), 1);
}

TEST(Neighbourhood, Radius1IsTheCausalHalfOf3x3) {
  const std::vector<Offset> expected{{0, 1}, {1, -1}, {1, 0}, {1, 1}};
  EXPECT_EQ(Neighbourhood(1).offsets(), expected);
}

TEST(Neighbourhood, Radius2IsTheCausalHalfOf5x5) {
  const std::vector<Offset> expected{{0, 1},
                                     {0, 2},
                                     {1, -2},
                                     {1, -1},
                                     {1, 0},
                                     {1, 1},
                                     {1, 2},
                                     {2, -2},
                                     {2, -1},
                                     {2, 0},
                                     {2, 1},
                                     {2, 2}};
  EXPECT_EQ(Neighbourhood(2).offsets(), expected);
}

TEST(Neighbourhood, SizeIsTwiceRTimesRPlus1) {
  for (std::int64_t r = 0; r < 8; ++r) EXPECT_EQ(Neighbourhood(r).size(), 2 * r * (r + 1));
}

TEST(Neighbourhood, ExactSweepsAreTheDepthOfTheRecursion) {
  EXPECT_EQ(Neighbourhood(2).exact_sweeps(192, 640), 1213);
  EXPECT_EQ(Neighbourhood(1).exact_sweeps(1, 1), 1);
}

TEST(Neighbourhood, RejectsANegativeRadiusAndAnEmptyImage) {
  EXPECT_THROW(Neighbourhood(-1), c10::Error);
  EXPECT_THROW(Neighbourhood(1).exact_sweeps(0, 4), c10::Error);
}

TEST(Neighbourhood, ComesBackFromItsNumbers) {
  for (const Neighbourhood& order : test::all_orders()) {
    EXPECT_EQ(Neighbourhood::of_numbers(order.numbers()), order);
  }
  EXPECT_THROW(Neighbourhood::of_numbers({1, 2}), c10::Error);
}

// Every pixel belongs to one class, and depends on pixels of earlier steps alone, but on the coarsest
// grid.
TEST(Neighbourhood, CoarseToFineCoversEveryPixelOnceAfterThoseThatItDependsOn) {
  for (const CoarseToFine& order : {CoarseToFine{.classes = 3},
                                    CoarseToFine{.classes = 12},
                                    CoarseToFine{.classes = 12, .neighbours = 24, .levels = 2}}) {
    for (const ImageSize& size : {ImageSize{1, 1}, {5, 40}, {33, 18}, {64, 96}, {67, 131}}) {
      const Neighbourhood neighbourhood(order);
      std::vector<std::int64_t> step(static_cast<std::size_t>(size.height * size.width), -1);
      const std::vector<PixelClass> classes = neighbourhood.classes(size);
      const auto for_each_pixel = [&](const PixelClass& pixels, const auto& visit) {
        for (std::int64_t y = pixels.row; y < size.height; y += pixels.stride) {
          for (std::int64_t x = pixels.column; x < size.width; x += pixels.stride) visit(y, x);
        }
      };
      for (const PixelClass& pixels : classes) {
        for_each_pixel(pixels, [&](std::int64_t y, std::int64_t x) {
          std::int64_t& own = step[static_cast<std::size_t>(y * size.width + x)];
          EXPECT_EQ(own, -1);
          own = pixels.step;
        });
      }
      EXPECT_EQ(std::count(step.begin(), step.end(), -1), 0);
      for (std::size_t c = 1; c < classes.size(); ++c) {
        for_each_pixel(classes[c], [&](std::int64_t y, std::int64_t x) {
          for (const Offset& offset : classes[c].offsets) {
            const std::int64_t ny = y + offset.dy;
            const std::int64_t nx = x + offset.dx;
            if (ny < 0 || ny >= size.height || nx < 0 || nx >= size.width) continue;
            EXPECT_LT(step[static_cast<std::size_t>(ny * size.width + nx)], classes[c].step);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace supn
