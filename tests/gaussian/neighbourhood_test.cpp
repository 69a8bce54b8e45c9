#include "supn/gaussian/neighbourhood.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace supn
