#include "supn/evaluation/depth/outlier_gate.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gaussian/dense_oracle.hpp"

namespace supn {
namespace {

using test::indices;
using test::numbers;

std::vector<std::int64_t> as_vector(const at::Tensor& t) {
  const auto* begin = t.const_data_ptr<std::int64_t>();
  return {begin, begin + t.numel()};
}

// A smooth field of 6×8 pixels, measured along a row as its mean says, but for one pixel.
class OutlierGate : public ::testing::Test {
 protected:
  Observations row_with_outlier(double error) const {
    const at::Tensor pixels = indices({16, 18, 19, 20, 22});
    at::Tensor values = gaussian_.mean().reshape({-1}).index_select(0, pixels).clone();
    values[2] += error;
    return {pixels, values, numbers({1e-4, 1e-4, 1e-4, 1e-4, 1e-4})};
  }
  StructuredGaussian gaussian_ = test::smooth_gaussian(2, {.batch = 1, .height = 6, .width = 8});
};

TEST_F(OutlierGate, DropsTheOneThatContradictsAllOthers) {
  const Observations observations = row_with_outlier(3.0);
  const double distance =
      ConditionedGaussian(gaussian_, observations).distances()[2].item<double>();

  const GateResult result = gate_outliers(gaussian_, observations, {.limit = 4.0});

  EXPECT_EQ(as_vector(result.dropped), std::vector<std::int64_t>{2});
  EXPECT_EQ(as_vector(result.kept), (std::vector<std::int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(result.distances[0].item<double>(), distance);
  EXPECT_GT(distance, 4.0);
  EXPECT_EQ(result.rounds, 2);
  EXPECT_EQ(result.remaining, 0);
}

TEST_F(OutlierGate, DropsOutliersFarFromEachOtherAtOnce) {
  const StructuredGaussian wide = test::smooth_gaussian(2, {.batch = 1, .height = 4, .width = 80});
  const at::Tensor pixels = indices({80, 82, 84, 150, 152, 154});
  at::Tensor values = wide.mean().reshape({-1}).index_select(0, pixels).clone();
  values[1] += 3.0;
  values[4] -= 2.0;

  const GateResult result = gate_outliers(wide, {pixels, values, numbers({1e-4})}, {.limit = 4.0});

  EXPECT_EQ(as_vector(result.dropped), (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(result.rounds, 2);
}

TEST_F(OutlierGate, KeepsAllThatAgree) {
  const GateResult result = gate_outliers(gaussian_, row_with_outlier(0.0), {.limit = 4.0});
  EXPECT_EQ(result.kept.size(0), 5);
  EXPECT_EQ(result.dropped.size(0), 0);
  EXPECT_EQ(result.rounds, 1);
}

TEST_F(OutlierGate, SaysWhatItHadNoTimeFor) {
  const GateResult result =
      gate_outliers(gaussian_, row_with_outlier(3.0), {.limit = 4.0, .max_rounds = 1});
  EXPECT_EQ(result.kept.size(0), 5);
  EXPECT_GE(result.remaining, 1);
}

TEST_F(OutlierGate, TakesNoObservations) {
  const Observations none{indices({}), numbers({}), numbers({})};
  const GateResult result = gate_outliers(gaussian_, none, {});
  EXPECT_EQ(result.kept.size(0), 0);
  EXPECT_EQ(result.rounds, 0);
}

TEST_F(OutlierGate, RejectsLimitsThatAreNone) {
  EXPECT_THROW(gate_outliers(gaussian_, row_with_outlier(0.0), {.limit = 0.0}), c10::Error);
}

}  // namespace
}  // namespace supn
