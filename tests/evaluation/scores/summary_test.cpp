#include "supn/evaluation/scores/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace supn {
namespace {

TEST(Summary, IsMeanAndPopulationStd) {
  const Summary summary = summarise(std::vector<double>{1.0, 3.0, 5.0, 7.0});
  EXPECT_DOUBLE_EQ(summary.mean, 4.0);
  EXPECT_DOUBLE_EQ(summary.std, std::sqrt(5.0));
  EXPECT_EQ(summary.count, 4);
}

TEST(Summary, OfOneValueHasNoStd) { EXPECT_EQ(summarise(std::vector<double>{2.5}).std, 0.0); }

TEST(Summary, OfNothingIsNotANumber) {
  const Summary summary = summarise({});
  EXPECT_TRUE(std::isnan(summary.mean));
  EXPECT_EQ(summary.count, 0);
}

}  // namespace
}  // namespace supn
