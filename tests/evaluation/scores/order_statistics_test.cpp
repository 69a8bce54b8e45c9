#include "supn/evaluation/scores/order_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::Fixture;
using evaluation_test::tensor_of;

TEST(OrderStatistics, EqualNumPys) {
  const Fixture fixture("order_statistics.txt");
  const std::vector<double> q = {0.0, 0.05, 0.3, 0.5, 0.72, 0.95, 1.0};
  for (const std::string name : {"odd", "even", "one"}) {
    std::vector<double> sorted = fixture.values(name + "_values");
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_DOUBLE_EQ(quantile_of_sorted(sorted, q[i]), fixture.values(name + "_quantiles")[i])
          << name << " " << q[i];
    }
    EXPECT_DOUBLE_EQ(supn::median(fixture.tensor(name + "_values")),
                     fixture.values(name + "_median")[0]);
  }
}

TEST(OrderStatistics, MedianAveragesTheTwoMiddleValues) {
  EXPECT_DOUBLE_EQ(supn::median(tensor_of({4.0, 1.0, 3.0, 10.0})), 3.5);
}

TEST(OrderStatistics, MedianOfNotANumberIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(supn::median(tensor_of({1.0, nan, 2.0}))));
}

TEST(OrderStatistics, InfinitiesAreOrdered) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {1.0, inf, inf};
  EXPECT_EQ(quantile_of_sorted(values, 1.0), inf);
  EXPECT_EQ(quantile_of_sorted(values, 0.75), inf);
  EXPECT_EQ(quantile_of_sorted(values, 0.0), 1.0);
}

TEST(OrderStatistics, RejectNoValues) {
  EXPECT_THROW(supn::median(tensor_of({})), c10::Error);
  EXPECT_THROW(quantile_of_sorted({}, 0.5), c10::Error);
}

}  // namespace
}  // namespace supn
