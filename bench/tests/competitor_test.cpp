#include "competitor.hpp"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>

namespace supn::bench {
namespace {

at::Tensor field(std::int64_t samples, double value) {
  return at::full({1, samples, 2, 2}, value, at::TensorOptions(at::kDouble));
}

TEST(Disagreement, IsRelativeToTheSecondAnswer) {
  EXPECT_NEAR(disagreement({field(1, 1.1)}, {field(1, 1.0)}), 0.1, 1e-12);
  EXPECT_EQ(disagreement({field(3, 2)}, {field(3, 2)}), 0);
}

TEST(Disagreement, TakesTheLargestOfAllTensors) {
  EXPECT_NEAR(disagreement({field(1, 1), field(1, 1.5)}, {field(1, 1), field(1, 1)}), 0.5, 1e-12);
}

TEST(Disagreement, ComparesTheSamplesThatBothHave) {
  EXPECT_EQ(disagreement({field(4, 1)}, {field(2, 1)}), 0);
  EXPECT_EQ(disagreement({field(1, 1)}, {field(2, 1)}), 0);
}

TEST(Disagreement, IsInfiniteWhereAnAnswerIsNotFinite) {
  EXPECT_TRUE(std::isinf(disagreement({field(1, NAN)}, {field(1, 1)})));
  EXPECT_TRUE(std::isinf(disagreement({field(1, 1)}, {field(1, INFINITY)})));
}

TEST(Disagreement, RejectsAnswersOfAnotherKind) {
  EXPECT_ANY_THROW(disagreement({field(1, 1)}, {}));
}

}  // namespace
}  // namespace supn::bench
