#include "supn/evaluation/tables/held_back_table.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace supn {
namespace {

TEST(HeldBackTable, NamesItsRows) {
  EXPECT_EQ(known_row_name(0), "no points");
  EXPECT_EQ(known_row_name(25), "25 points");
  EXPECT_EQ(rival_row_name(25, Rival::kRatio), "25 points: mean x interpolated ratio");
}

TEST(HeldBackTable, HasAColumnForEveryScore) {
  std::set<std::string_view> keys;
  const std::vector<TableColumn> columns = held_back_columns();
  for (const TableColumn& column : columns) keys.insert(column.key);
  HeldBackScores scores;
  scores.points = 3;
  scores.coverage_50 = 0.5;
  scores.log_density = 0.1;
  for (const auto& [key, value] : named_held_back(scores)) EXPECT_TRUE(keys.contains(key)) << key;
}

// A rival without a std has no intervals, one without a density in logits no density.
TEST(HeldBackTable, LeavesOutWhatIsNotThere) {
  HeldBackScores scores;
  scores.coverage_50 = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(named_held_back(scores).size(), 4);
  scores.coverage_50 = 0.5;
  scores.log_density = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(named_held_back(scores).size(), 10);
}

}  // namespace
}  // namespace supn
