#include "supn/evaluation/calibration/calibration.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "evaluation/scores/fixture.hpp"
#include "supn/evaluation/calibration/coverage.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

at::Tensor normals() {
  const std::array<std::uint64_t, 1> seeds{8};
  return standard_normal(seeds, {0, 1}, {300, 300}, at::TensorOptions().dtype(at::kDouble));
}

TEST(Calibration, OfTheRightDistributionIsRight) {
  const Calibration result = calibration(normals());
  EXPECT_NEAR(result.in_50, 0.5, 0.005);
  EXPECT_NEAR(result.in_90, 0.9, 0.005);
  EXPECT_NEAR(result.rms, 1.0, 0.01);
  EXPECT_LT(result.error, 0.005);
  for (const double density : pit_histogram(normals())) EXPECT_NEAR(density, 1.0, 0.06);
}

TEST(Calibration, SeesAStdThatIsTooSmall) {
  const Calibration result = calibration(normals() * 2.0);
  EXPECT_NEAR(result.rms, 2.0, 0.02);
  // A standard normal twice as wide falls into the interval of z with probability erf(z/2√2).
  EXPECT_NEAR(result.in_90, std::erf(central_interval(0.9) / 2.0 / std::sqrt(2.0)), 0.005);
  EXPECT_GT(result.error, 0.1);
  const auto pit = pit_histogram(normals() * 2.0);
  EXPECT_GT(pit.front(), 2.0);
  EXPECT_LT(pit[10], 0.8);
}

TEST(Calibration, PitSeesABias) {
  const auto pit = pit_histogram(normals() + 1.0);
  EXPECT_LT(pit.front(), 0.5);
  EXPECT_GT(pit.back(), 1.5);
}

TEST(Calibration, CoverageCurveCountsByHand) {
  // Inside the intervals of probability erf(|z|/√2) = 0, 0.3829, 0.6827 and nearly 1.
  const auto curve = coverage_curve(tensor_of({0.0, 0.5, -1.0, 9.0}));
  EXPECT_EQ(curve[0], 0.0);
  EXPECT_DOUBLE_EQ(curve[1], 0.25);
  EXPECT_DOUBLE_EQ(curve[19], 0.25);  // 0.38
  EXPECT_DOUBLE_EQ(curve[20], 0.5);   // 0.40
  EXPECT_DOUBLE_EQ(curve[34], 0.5);   // 0.68
  EXPECT_DOUBLE_EQ(curve[35], 0.75);  // 0.70
  EXPECT_DOUBLE_EQ(curve[50], 1.0);
}

TEST(Calibration, IsNotANumberWithoutDeviationsOrWithOneThatIsNone) {
  EXPECT_TRUE(std::isnan(calibration(at::empty({0}, at::kDouble)).in_90));
  EXPECT_TRUE(std::isnan(calibration(tensor_of({0.0, std::nan("")})).error));
  EXPECT_TRUE(std::isnan(pit_histogram(tensor_of({std::nan("")}))[3]));
}

}  // namespace
}  // namespace supn
