#include "supn/evaluation/scores/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "supn/evaluation/tables/score_sheet.hpp"

namespace supn {
namespace {

Interval bootstrap_interval(const std::vector<double>& values, const BootstrapOptions& options) {
  return Bootstrap(values.size(), options).interval(values);
}

TEST(Bootstrap, IntervalIsThatOfTheMean) {
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(std::sin(1.7 * i));
  const Interval interval = bootstrap_interval(values, {});
  // Mean about 0, std √½, standard error √½/20.
  EXPECT_NEAR(interval.low, -1.96 * std::sqrt(0.5) / 20.0, 0.01);
  EXPECT_NEAR(interval.high, 1.96 * std::sqrt(0.5) / 20.0, 0.01);
}

TEST(Bootstrap, IsAFunctionOfItsSeed) {
  const std::vector<double> values{1.0, 2.0, 5.0, 9.0, 11.0};
  EXPECT_EQ(bootstrap_interval(values, {.seed = 1}).low,
            bootstrap_interval(values, {.seed = 1}).low);
  EXPECT_EQ(bootstrap_interval({3.0, 3.0}, {}).high, 3.0);
}

TEST(Bootstrap, IsNotANumberWithoutFiniteValues) {
  EXPECT_TRUE(std::isnan(bootstrap_interval({}, {}).low));
  EXPECT_THROW(Bootstrap(3, {}).interval(std::vector<double>{1.0}), c10::Error);
  const std::vector<double> values{1.0, std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(std::isnan(bootstrap_interval(values, {}).high));
}

TEST(ScoreSheet, PairsDifferencesByImage) {
  ScoreSheet sheet({{"ll", "LL", "group", 3}});
  const std::size_t a = sheet.row("a");
  const std::size_t b = sheet.row("b, c");
  sheet.keep(a, "1", {{"ll", 5.0}});
  sheet.keep(a, "2", {{"ll", 3.0}});
  sheet.keep(b, "2", {{"ll", 1.0}});
  sheet.keep(b, "3", {{"ll", 100.0}});

  EXPECT_EQ(sheet.differences_csv(),
            "model,other,score,difference,low,high,images\na,\"b, c\",ll,2,2,2,1\n");
  EXPECT_EQ(sheet.per_image_csv(), "image,model,ll\n1,a,5\n2,a,3\n2,\"b, c\",1\n3,\"b, c\",100\n");
  ASSERT_EQ(sheet.rows().size(), 2U);
  EXPECT_EQ(sheet.rows()[0].cells[0]->mean, 4.0);
  const auto difference = sheet.difference("a", "b, c", "ll");
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->mean, 2.0);
  EXPECT_EQ(difference->images, 1);
  EXPECT_TRUE(difference->is_clear());
  EXPECT_EQ(difference->text(), "2.0000 (2.0000 to 2.0000)");
  EXPECT_FALSE(sheet.difference("a", "absent", "ll").has_value());
  EXPECT_FALSE(sheet.difference("a", "b, c", "absent").has_value());
}

TEST(Bootstrap, RatiosAreOfResampledSums) {
  const std::vector<double> values{1.0, 10.0};
  const std::vector<double> weights{1.0, 2.0};
  for (const double ratio : Bootstrap(2, {}).ratios(values, weights)) {
    EXPECT_TRUE(ratio == 1.0 || ratio == 5.0 || ratio == 11.0 / 3.0) << ratio;
  }
}

}  // namespace
}  // namespace supn
