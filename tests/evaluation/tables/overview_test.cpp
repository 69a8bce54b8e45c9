#include "supn/evaluation/tables/overview.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "supn/evaluation/tables/score_table.hpp"

namespace supn {
namespace {

using testing::HasSubstr;

TableRow row_of(const std::vector<NamedScore>& scores) {
  ScoreCollector collector("model");
  collector.add(scores);
  return collector.row(score_columns());
}

std::string verdict_of(const std::vector<NamedScore>& scores) {
  return verdict(row_of(scores), score_columns());
}

TEST(Verdict, JudgesTheSpreadAndTheRanking) {
  EXPECT_EQ(verdict_of({{"mean_ratio_median", 1.7}, {"aurg_abs_rel", 0.01}}),
            "spread 1.7 × the members' distance from its mean: too wide; its uncertainty finds "
            "errors better than chance");
  EXPECT_THAT(verdict_of({{"mean_ratio_median", 1.0}}), HasSubstr("as it should be"));
  EXPECT_THAT(verdict_of({{"mean_ratio_median", 0.7}}), HasSubstr(": too narrow"));
  EXPECT_THAT(verdict_of({{"mean_ratio_median", 0.2}}), HasSubstr("far too narrow"));
  EXPECT_THAT(verdict_of({{"mean_ratio_median", 123.0}}), HasSubstr("spread 1.2e+02"));
  EXPECT_THAT(verdict_of({{"mean_ratio_median", std::numeric_limits<double>::quiet_NaN()}}),
              HasSubstr("not a number"));
  EXPECT_EQ(verdict_of({{"aurg_abs_rel", -0.01}}),
            "its uncertainty finds errors no better than chance");
  // What a constant uncertainty gets.
  EXPECT_THAT(verdict_of({{"abs_rel", 0.1}, {"aurg_abs_rel", 0.001}}), HasSubstr("no better"));
  EXPECT_EQ(verdict_of({{"abs_rel", 0.1}}), "");
}

// In one space the model finds errors that distance does not tell of, in the other it may not.
TEST(Verdict, SaysWhereAnUncertaintyKnowsNoMoreThanDistance) {
  ScoreSheet sheet(score_columns());
  for (int image = 0; image < 20; ++image) {
    const double noise = 0.01 * (image % 2 == 0 ? 1.0 : -1.0);
    const std::string name = std::to_string(image);
    sheet.keep(sheet.row("m"), name, {{"aurg_logit", 0.08}, {"aurg_depth", 0.05 + noise}});
    sheet.keep(sheet.row("d"), name, {{"aurg_logit", 0.05}, {"aurg_depth", 0.05}});
  }
  const std::string text = beyond_distance(sheet, "m", "d");
  EXPECT_THAT(text, HasSubstr("its AURG beyond that of distance: logit 0.0300 (0.0300 to 0.0300)"));
  EXPECT_THAT(text, HasSubstr("; it knows no more than distance in: depth 0.0000 (-"));
  EXPECT_EQ(beyond_distance(sheet, "m", "absent"), "");
}

TEST(Verdict, ComparesWithOthersByPairs) {
  ScoreSheet sheet(score_columns());
  sheet.keep(sheet.row("m"), "1", {{"abs_rel", 0.1}});
  sheet.keep(sheet.row("m: r"), "1", {{"abs_rel", 0.12}});
  EXPECT_EQ(against_others(sheet, "m", {{"m: r", "ratio"}, {"m: s", "absent"}}),
            "AbsRel against ratio: -0.0200 (-0.0200 to -0.0200)");
}

TEST(Overview, ComesFirstWithIdealsAndVerdicts) {
  Table table{.title = "T", .caption = {}, .columns = score_columns(), .rows = {}};
  table.rows.push_back(row_of({{"abs_rel", 0.1234}, {"a1", 0.9}, {"mean_ratio_median", 3.0}}));
  table.rows.front().verdict = verdict(table.rows.front(), table.columns);
  table.overview = score_overview();

  const std::string text = text_table(table);

  EXPECT_TRUE(text.starts_with(
      "T\n\n"
      "model    AbsRel ↓  RMSE, m ↓    A1 ↑  AUSE ↓  AURG ↑  log-likelihood ↑  spread → 1  inside "
      "90 % → 0.9\n"
      "ideal           0          0       1       0     > 0              high           1          "
      " "
      "     0.9\n"
      "model !    0.1234          -  0.9000       -       -                 -       3.000          "
      " "
      "       -\n"
      "\n"
      "model: spread 3 × the members' distance from its mean: far too wide\n"
      "! model: std 3 times the members' distance"))
      << text;
  EXPECT_EQ(table.overview.size(), 8U);
}

}  // namespace
}  // namespace supn
