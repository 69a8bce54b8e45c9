#include "supn/evaluation/scores/sparsification.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::Fixture;
using evaluation_test::tensor_of;

constexpr std::array kMetrics = {
    SparsifiedMetric::kAbsRel, SparsifiedMetric::kRmse, SparsifiedMetric::kA1};

struct Case {
  at::Tensor depth;
  at::Tensor predicted;
  at::Tensor uncertainty;
};

Case read_case(const std::string& name) {
  const Fixture fixture("sparsification.txt");
  return {fixture.tensor(name + "_depth"),
          fixture.tensor(name + "_predicted"),
          fixture.tensor(name + "_uncertainty")};
}

std::vector<double> flat(const Sparsification& s) {
  return {s.abs_rel.ause, s.abs_rel.aurg, s.rmse.ause, s.rmse.aurg, s.a1.ause, s.a1.aurg};
}

TEST(Sparsification, EqualsNumPys) {
  const Fixture fixture("sparsification.txt");
  for (const std::string name : {"odd", "even", "ties", "few"}) {
    const Case c = read_case(name);
    const std::vector<double> scores = flat(sparsify(c.depth, c.predicted, c.uncertainty));
    const std::vector<double>& expected = fixture.values(name + "_scores");
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_NEAR(scores[i], expected[i], 1e-12) << name << " " << i;
    }
  }
}

TEST(Sparsification, SumOfAuseAndAurgDoesNotDependOnTheUncertainty) {
  const Case c = read_case("even");
  const std::vector<double> a = flat(sparsify(c.depth, c.predicted, c.uncertainty));
  const std::vector<double> b = flat(sparsify(c.depth, c.predicted, c.depth.reciprocal()));
  for (std::size_t i = 0; i < a.size(); i += 2) {
    EXPECT_NE(a[i], b[i]);
    EXPECT_NEAR(a[i] + a[i + 1], b[i] + b[i + 1], 1e-13);
  }
}

TEST(Sparsification, ConstantUncertaintyGainsAHundredthOfTheMetric) {
  const Case c = read_case("odd");
  const at::Tensor constant = at::ones_like(c.depth);
  const std::vector<double> scores = flat(sparsify(c.depth, c.predicted, constant));
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    const double all = sparsification_curve(kMetrics[m], c.depth, c.predicted, constant)[0];
    EXPECT_GT(all, 0.0);
    EXPECT_NEAR(scores[2 * m + 1], 0.01 * all, 1e-13 * all);
  }
}

TEST(Sparsification, OraclesOwnRankingHasNoAuse) {
  const Case c = read_case("odd");
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    const at::Tensor oracle = oracle_ranking(kMetrics[m], c.depth, c.predicted);
    EXPECT_EQ(flat(sparsify(c.depth, c.predicted, oracle))[2 * m], 0.0);
  }
}

TEST(Sparsification, DependsOnlyOnTheOrderOfUncertainties) {
  const Case c = read_case("odd");
  const auto before =
      sparsification_curve(SparsifiedMetric::kRmse, c.depth, c.predicted, c.uncertainty);
  const auto after =
      sparsification_curve(SparsifiedMetric::kRmse, c.depth, c.predicted, c.uncertainty.square());
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(before[k], after[k], 1e-12) << k;
}

TEST(Sparsification, CurveKeepsTheMostCertainAndEndsInZero) {
  // 100 pixels: at 98 % the two most certain ones are at or above the threshold.
  std::vector<double> depth(100, 10.0);
  std::vector<double> predicted(100);
  std::vector<double> uncertainty(100);
  for (std::size_t i = 0; i < 100; ++i) {
    predicted[i] = 10.0 + static_cast<double>(i);
    uncertainty[i] = static_cast<double>(i);
  }
  const auto curve = sparsification_curve(
      SparsifiedMetric::kAbsRel, tensor_of(depth), tensor_of(predicted), tensor_of(uncertainty));
  EXPECT_NEAR(curve[0], 4.95, 1e-12);
  EXPECT_NEAR(curve[49], 0.05, 1e-12);
  EXPECT_EQ(curve[50], 0.0);
}

TEST(Sparsification, FailureOfA1IncludesTheThreshold) {
  const auto curve = sparsification_curve(
      SparsifiedMetric::kA1, tensor_of({10, 10}), tensor_of({12.5, 12.4}), tensor_of({1, 1}));
  EXPECT_EQ(curve[0], 0.5);
}

TEST(Sparsification, OfUncertaintiesThatAreNotFiniteIsNotANumber) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> scores =
      flat(sparsify(tensor_of({10, 20}), tensor_of({11, 19}), tensor_of({1, inf})));
  for (const double score : scores) EXPECT_TRUE(std::isnan(score));
}

TEST(Sparsification, RejectsShapesThatDiffer) {
  EXPECT_THROW(sparsify(tensor_of({1, 2}), tensor_of({1, 2}), tensor_of({1})), c10::Error);
  EXPECT_THROW(sparsify(tensor_of({}), tensor_of({}), tensor_of({})), c10::Error);
}

}  // namespace
}  // namespace supn
