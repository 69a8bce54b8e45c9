#include "supn/evaluation/scores/scale_ratio.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <limits>

namespace supn {
namespace {

TEST(ScaleRatio, IsThatOfMediansAndSaysWhichWay) {
  const GroundTruth truth = ground_truth(at::tensor({0.0, 30.0, 60.0, 300.0}).view({2, 2}),
                                         AccuracyProtocol::kEigenBenchmark);
  // 5.4 / 0.54 = 10 m everywhere; the true median is 60 m.
  const double ratio = scale_ratio(at::full({1, 2, 2}, 0.54, at::kDouble), truth, 5.4);

  EXPECT_NEAR(ratio, 6.0, 1e-9);
  EXPECT_FALSE(is_plausible_scale_ratio(ratio));
  EXPECT_EQ(scale_ratio_text(ratio, 5.4),
            "the measured depths are 6 times those predicted (medians) with scale 5.4");
}

TEST(ScaleRatio, IsPlausibleWithinAFactorOfTwo) {
  EXPECT_TRUE(is_plausible_scale_ratio(0.5));
  EXPECT_TRUE(is_plausible_scale_ratio(2.0));
  EXPECT_FALSE(is_plausible_scale_ratio(0.49));
  EXPECT_FALSE(is_plausible_scale_ratio(2.01));
  EXPECT_FALSE(is_plausible_scale_ratio(0.0));
  EXPECT_TRUE(is_plausible_scale_ratio(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace supn
