#include "supn/evaluation/depth/depth_scale.hpp"

#include <gtest/gtest.h>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

TEST(DepthScale, FollowsTheFormula) {
  const at::Tensor logit = tensor_of({0.0, -2.0});

  const at::Tensor disparity = disparity_from_logit(logit, {0.1, 100.0});

  EXPECT_DOUBLE_EQ(disparity[0].item<double>(), 0.01 + 9.99 * 0.5);
  EXPECT_NEAR(disparity[1].item<double>(), 0.01 + 9.99 * 0.11920292202211755, 1e-14);
  EXPECT_DOUBLE_EQ(depth_from_disparity(disparity, 5.4)[0].item<double>(), 5.4 / 5.005);
}

TEST(DepthScale, EndsOfTheRangeAreTheEndsOfTheSigmoid) {
  const at::Tensor depth =
      depth_from_disparity(disparity_from_sigmoid(tensor_of({0.0, 1.0}), {0.5, 40.0}), 1.0);

  EXPECT_DOUBLE_EQ(depth[0].item<double>(), 40.0);
  EXPECT_DOUBLE_EQ(depth[1].item<double>(), 0.5);
}

TEST(DepthScale, GoesThereAndBack) {
  const DepthRange range{0.1, 100.0};
  const at::Tensor logit = tensor_of({-6.0, -1.4, 0.0, 3.0});

  const at::Tensor depth = depth_from_disparity(disparity_from_logit(logit, range), 5.4);
  const at::Tensor back =
      logit_from_sigmoid(sigmoid_from_disparity(disparity_from_depth(depth, 5.4), range));

  EXPECT_TRUE(back.allclose(logit, 1e-11, 1e-11)) << back;
}

TEST(DepthScale, WorksInDoubleForFloatInput) {
  EXPECT_EQ(sigmoid_from_logit(tensor_of({1.0}).to(at::kFloat)).scalar_type(), at::kDouble);
}

TEST(DepthScale, RejectsAnEmptyRange) {
  EXPECT_THROW(disparity_from_sigmoid(tensor_of({0.5}), {1.0, 1.0}), c10::Error);
  EXPECT_THROW(disparity_from_sigmoid(tensor_of({0.5}), {0.0, 1.0}), c10::Error);
}

}  // namespace
}  // namespace supn
