#include "supn/evaluation/calibration/coverage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

TEST(Coverage, IntervalsAreThoseOfTheNormalTable) {
  EXPECT_NEAR(central_interval(0.5), 0.674489750196082, 1e-12);
  EXPECT_NEAR(central_interval(0.9), 1.644853626951473, 1e-12);
  EXPECT_NEAR(central_interval(0.99), 2.575829303548901, 1e-12);
}

TEST(Coverage, IsTheShareInside) {
  const at::Tensor deviations = tensor_of({-0.6, 0.0, 0.7, -1.6, 1.7, 9.0});
  EXPECT_DOUBLE_EQ(coverage(deviations, 0.5), 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(coverage(deviations, 0.9), 4.0 / 6.0);
  EXPECT_TRUE(std::isnan(coverage(tensor_of({}), 0.5)));
}

TEST(Coverage, RejectsWhatIsNoProbability) {
  for (const double p : {0.0, 1.0, -0.5, std::nan("")}) {
    EXPECT_THROW(central_interval(p), c10::Error) << p;
  }
}

}  // namespace
}  // namespace supn
