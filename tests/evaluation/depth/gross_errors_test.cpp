#include "supn/evaluation/depth/gross_errors.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace supn {
namespace {

DepthMeasurements measurements(std::int64_t count) {
  return {at::arange(count), at::full({count}, 10.0, at::kDouble)};
}

TEST(GrossErrors, AreEveryTwentiethFromTheTenthOn) {
  const GrossErrors errors = with_gross_errors(measurements(200), 0.05, 3);
  const at::Tensor wrong = errors.is_wrong.nonzero().view({-1});
  EXPECT_TRUE(wrong.equal(at::arange(9, 200, 20))) << wrong;
  const at::Tensor factor = errors.measurements.depth_m / 10.0;
  EXPECT_TRUE(factor.ne(1.0).equal(errors.is_wrong));
  const at::Tensor size = factor.index_select(0, wrong).log().abs().exp();
  EXPECT_GT(size.min().item<double>(), 1.5);
  EXPECT_LT(size.max().item<double>(), 3.0);
  EXPECT_GT(factor.max().item<double>(), 1.5);
  EXPECT_LT(factor.min().item<double>(), 1.0 / 1.5);
}

TEST(GrossErrors, OfTheFirstOnesAreTheSame) {
  const GrossErrors all = with_gross_errors(measurements(200), 0.05, 3);
  const GrossErrors first = with_gross_errors(measurements(50), 0.05, 3);
  EXPECT_TRUE(first.measurements.depth_m.equal(all.measurements.depth_m.narrow(0, 0, 50)));
  EXPECT_TRUE(first.is_wrong.equal(all.is_wrong.narrow(0, 0, 50)));
}

TEST(GrossErrors, AreNoneOrAll) {
  EXPECT_EQ(with_gross_errors(measurements(50), 0.0, 3).is_wrong.sum().item<std::int64_t>(), 0);
  EXPECT_EQ(with_gross_errors(measurements(50), 1.0, 3).is_wrong.sum().item<std::int64_t>(), 50);
  EXPECT_EQ(with_gross_errors(measurements(0), 0.5, 3).is_wrong.size(0), 0);
  EXPECT_THROW(with_gross_errors(measurements(5), 1.5, 3), c10::Error);
}

TEST(GateScores, CountWhatWasFound) {
  const at::Tensor wrong = at::tensor({1, 0, 0, 1, 0, 1}).to(at::kBool);
  const GateScores scores = gate_scores(wrong, at::tensor({3, 1, 0, 4}, at::kLong));
  EXPECT_EQ(scores.dropped, 4);
  EXPECT_DOUBLE_EQ(*scores.recall, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(*scores.precision, 0.5);
  EXPECT_FALSE(gate_scores(wrong, at::arange(0)).precision.has_value());
  EXPECT_FALSE(
      gate_scores(wrong.logical_and(wrong.logical_not()), at::arange(2)).recall.has_value());
}

}  // namespace
}  // namespace supn
