#include "supn/evaluation/scores/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

TEST(Spread, MarginalStdIsUnbiased) {
  const at::Tensor std = marginal_std(tensor_of({1, 5, 3, 5}).view({2, 1, 2}));
  EXPECT_DOUBLE_EQ(std[0][0].item<double>(), std::sqrt(2.0));
  EXPECT_EQ(std[0][1].item<double>(), 0.0);
}

TEST(Spread, MarginalStdNeedsTwoMaps) {
  EXPECT_THROW(marginal_std(tensor_of({1, 2}).view({1, 1, 2})), c10::Error);
}

TEST(Spread, RatioIsTakenPixelByPixel) {
  std::vector<double> model(21);
  std::vector<double> members(21);
  for (std::size_t i = 0; i < 21; ++i) {
    members[i] = static_cast<double>(21 - i);
    model[i] = members[i] * static_cast<double>(i);
  }
  const SpreadRatio ratio = spread_ratio(tensor_of(model), tensor_of(members));
  EXPECT_NEAR(ratio.low, 1.0, 1e-12);
  EXPECT_NEAR(ratio.median, 10.0, 1e-12);
  EXPECT_NEAR(ratio.high, 19.0, 1e-12);
}

TEST(Spread, PixelsWhereMembersAgreeCountAsInfinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const SpreadRatio ratio = spread_ratio(tensor_of({1, 1, 0}), tensor_of({1, 0, 0}));
  EXPECT_EQ(ratio.median, inf);
  EXPECT_FALSE(is_plausible_spread(ratio.median));
}

TEST(Spread, RatioOfNotANumberIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(spread_ratio(tensor_of({1, nan}), tensor_of({1, 1})).median));
  EXPECT_FALSE(is_plausible_spread(nan));
}

TEST(Spread, IsPlausibleWithinAFactorOfTwo) {
  EXPECT_TRUE(is_plausible_spread(0.5));
  EXPECT_TRUE(is_plausible_spread(2.0));
  EXPECT_FALSE(is_plausible_spread(0.49));
  EXPECT_FALSE(is_plausible_spread(2.01));
}

TEST(Spread, RejectsSizesThatDiffer) {
  EXPECT_THROW(spread_ratio(tensor_of({1, 2}), tensor_of({1})), c10::Error);
}

}  // namespace
}  // namespace supn
