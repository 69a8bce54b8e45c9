#include "supn/ensemble/member_logits.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "ensemble/ensemble_fixture.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor logits() { return at::linspace(-6.0, 6.0, 25, at::kDouble); }

EnsembleConfig config_of(MemberQuantity quantity) {
  EnsembleConfig config;
  config.quantity = quantity;
  return config;
}

TEST(ToLogits, KeepsLogits) {
  const ClampedLogits result = to_logits(logits(), config_of(MemberQuantity::kLogit));

  EXPECT_TRUE(result.logits.equal(logits().to(at::kFloat)));
  EXPECT_EQ(result.clamped, 0);
}

TEST(ToLogits, InvertsSigmoidDisparityAndDepth) {
  const at::Tensor sigmoid = logits().sigmoid();
  const at::Tensor disparity = 0.01 + 9.99 * sigmoid;
  EnsembleConfig depth_config = config_of(MemberQuantity::kDepth);
  depth_config.depth_scale = 5.4;

  for (const at::Tensor& result :
       {to_logits(sigmoid, config_of(MemberQuantity::kSigmoid)).logits,
        to_logits(disparity, config_of(MemberQuantity::kDisparity)).logits,
        to_logits(5.4 / disparity, depth_config).logits}) {
    EXPECT_EQ(result.scalar_type(), at::kFloat);
    EXPECT_LT((result - logits()).abs().max().item<double>(), 1e-6);
  }
}

TEST(ToLogits, ClampsAndCountsSaturatedSigmoids) {
  const at::Tensor sigmoid = at::tensor({0.0, 1.0, 1e-9, 0.5, -0.1, 1.2}, at::kDouble);
  const double limit = std::log((1.0 - 1e-6) / 1e-6);

  const ClampedLogits result = to_logits(sigmoid, config_of(MemberQuantity::kSigmoid));

  const at::Tensor expected = at::tensor({-limit, limit, -limit, 0.0, -limit, limit}, at::kDouble);
  EXPECT_LT((result.logits - expected).abs().max().item<double>(), 1e-5);
  EXPECT_EQ(result.clamped, 5);
}

TEST(ToLogits, ClampsInfiniteLogitsAndDepths) {
  const at::Tensor infinite = at::tensor({-kInfinity, kInfinity, 1.0}, at::kDouble);

  EXPECT_EQ(to_logits(infinite, config_of(MemberQuantity::kLogit)).clamped, 2);
  EXPECT_TRUE(
      to_logits(infinite, config_of(MemberQuantity::kLogit)).logits.isfinite().all().item<bool>());
  const at::Tensor depth = at::tensor({0.0, kInfinity, 1.0}, at::kDouble);
  const ClampedLogits from_depth = to_logits(depth, config_of(MemberQuantity::kDepth));
  EXPECT_EQ(from_depth.clamped, 2);
  EXPECT_GT(from_depth.logits[0].item<double>(), 13.0);
  EXPECT_LT(from_depth.logits[1].item<double>(), -13.0);
}

TEST(ToLogits, LeavesNaNToTheCaller) {
  const at::Tensor nan = at::tensor({std::nan("")}, at::kDouble);
  EXPECT_TRUE(to_logits(nan, config_of(MemberQuantity::kSigmoid)).logits.isnan().item<bool>());
}

TEST(ToLogits, RefusesDepthsTheWrongWayRound) {
  EnsembleConfig config = config_of(MemberQuantity::kDepth);
  config.min_depth = 100.0;
  EXPECT_THAT(message_of<ConfigError>([&] { to_logits(logits(), config); }),
              ::testing::HasSubstr("ensemble.min_depth"));
}

}  // namespace
}  // namespace supn
