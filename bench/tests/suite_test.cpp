#include "suite.hpp"

#include <ATen/ops/full.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <cmath>

#include "problem.hpp"

namespace supn::bench {
namespace {

SuiteOptions quick() {
  SuiteOptions options;
  options.extent = Extent::kQuick;
  return options;
}

// Answers `value` and claims to need `seconds`.
Competitor claiming(double value, double seconds, int* timings) {
  auto answer = [value] {
    return std::vector<at::Tensor>{at::full({1, 1}, value, at::TensorOptions(at::kDouble))};
  };
  return {"claiming", "", answer, [seconds, timings] {
            ++*timings;
            return seconds;
          }};
}

Row row_with_target() {
  Row row;
  row.size = {1, 1};
  row.tolerance = 1e-3;
  row.targets = {at_least("ratio", 3), at_least("ratio", 5)};
  return row;
}

TEST(Suite, TimesThoseThatAgree) {
  Suite suite(quick());
  int timings = 0;
  suite.compete(
      {row_with_target(), claiming(1, 0.5, &timings), {claiming(1, 2, &timings)}, {8, 1}});
  ASSERT_EQ(suite.rows().size(), 1);
  const Row& row = suite.rows().front();
  EXPECT_EQ(row.refused, "");
  EXPECT_DOUBLE_EQ(row.times->ratio.median, 4);
  EXPECT_TRUE(row.targets[0].met());
  EXPECT_FALSE(row.targets[1].met());
  EXPECT_TRUE(row.limit.has_value());
}

TEST(Suite, RefusesToTimeThoseThatDisagree) {
  for (const double wrong : {1.1, static_cast<double>(NAN)}) {
    Suite suite(quick());
    int timings = 0;
    suite.compete(
        {row_with_target(), claiming(1, 0.5, &timings), {claiming(wrong, 2, &timings)}, {}});
    EXPECT_EQ(timings, 0);
    EXPECT_FALSE(suite.rows().front().times.has_value());
    EXPECT_NE(suite.rows().front().refused, "");
  }
}

TEST(Suite, RefusesWhenAnyVariantOfThePeerDisagrees) {
  Suite suite(quick());
  int timings = 0;
  suite.compete({row_with_target(),
                 claiming(1, 0.5, &timings),
                 {claiming(1, 2, &timings), claiming(2, 1, &timings)},
                 {}});
  EXPECT_EQ(timings, 0);
}

TEST(Suite, SaysWhyAPeerCannotAnswer) {
  Suite suite(quick());
  int timings = 0;
  Competitor broken = claiming(1, 1, &timings);
  broken.answer = []() -> std::vector<at::Tensor> { TORCH_CHECK(false, "no such solver"); };
  suite.compete({row_with_target(), claiming(1, 0.5, &timings), {broken}, {}});
  EXPECT_NE(suite.rows().front().refused.find("no such solver"), std::string::npos);
}

TEST(LimitShare, NamesTheNearerLimit) {
  const MachineLimits limits{100, 1000, 500};
  const LimitShare memory = limit_share({50, 10}, limits, "f32", 1.0);
  EXPECT_EQ(memory.limit, "DRAM");
  EXPECT_DOUBLE_EQ(memory.share, 0.5);
  const LimitShare arithmetic = limit_share({1, 100}, limits, "f64", 0.4);
  EXPECT_EQ(arithmetic.limit, "FMA");
  EXPECT_DOUBLE_EQ(arithmetic.share, 0.5);
}

TEST(MachineLimits, ArePositiveAndSingleIsFasterThanDouble) {
  const MachineLimits limits = measure_limits(1);
  EXPECT_GT(limits.dram_bytes_per_second, 1e8);
  EXPECT_GT(limits.fma_f64_per_second, 1e8);
  EXPECT_GT(limits.fma_f32_per_second, 1.2 * limits.fma_f64_per_second);
}

}  // namespace
}  // namespace supn::bench
