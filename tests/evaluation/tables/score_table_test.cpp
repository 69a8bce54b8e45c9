#include "supn/evaluation/tables/score_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace supn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ImageScores full_scores() {
  ImageScores scores;
  scores.mean = Accuracy{.abs_rel = 0.1, .rmse = 4.0, .a1 = 0.9};
  scores.best = Accuracy{.abs_rel = 0.08, .rmse = 3.0, .a1 = 0.95};
  scores.sparsification = Sparsification{{0.01, 0.02}, {1.0, 2.0}, {0.03, 0.04}};
  scores.likelihood = MemberLikelihood{4.0, 3.9e6};
  scores.spread = SpreadRatio{0.5, 1.0, 1.8};
  scores.scale_ratio = 1.1;
  scores.non_finite = 3;
  scores.level_variances = {1.1, 1.2, 0.9};
  scores.spread_about_mean = SpreadRatio{0.4, 0.9, 1.5};
  scores.truth_scores.emplace();
  scores.intervals.points = IntervalScores{.in_50 = 0.5};
  return scores;
}

std::optional<Summary> cell(const TableRow& row, const std::string& key) {
  const std::vector<TableColumn> columns = score_columns();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].key == key) return row.cells[c];
  }
  throw std::runtime_error("no column " + key);
}

TEST(ScoreColumns, HoldEveryNamedScore) {
  std::set<std::string> keys;
  for (const TableColumn& column : score_columns()) {
    EXPECT_TRUE(keys.insert(column.key).second) << column.key << " twice";
  }
  for (const auto& [key, value] : named_scores(full_scores())) {
    EXPECT_EQ(keys.count(std::string(key)), 1U) << key;
  }
}

// table.csv has a column KEY_std, the std over images, beside that of every key.
TEST(ScoreColumns, HaveNoKeyThatIsTheStdOfAnother) {
  std::set<std::string> keys;
  for (const TableColumn& column : score_columns()) keys.insert(column.key);
  for (const std::string& key : keys) EXPECT_EQ(keys.count(key + "_std"), 0U) << key;
}

TEST(ScoreColumns, NameWhatWasMeasuredAndNothingElse) {
  const std::vector<NamedScore> named = named_scores(full_scores());
  const std::map<std::string_view, double> values(named.begin(), named.end());
  EXPECT_EQ(values.at("abs_rel"), 0.1);
  EXPECT_EQ(values.at("rmse_best"), 3.0);
  EXPECT_EQ(values.at("aurg_a1"), 0.04);
  EXPECT_EQ(values.at("mean_ratio_median"), 0.9);
  EXPECT_EQ(values.at("z_variance_level_3"), 0.9);
  EXPECT_EQ(values.at("depth_in_50"), 0.5);
  EXPECT_EQ(values.at("non_finite"), 3.0);
  for (const char* absent : {"z_variance_level_4",
                             "region_depth_in_50",
                             "truth_region_in_90",
                             "aurg_abs_rel_exact",
                             "logit_std",
                             "z_mean",
                             "ll_b",
                             "kl"}) {
    EXPECT_EQ(values.count(absent), 0U) << absent;
  }
  EXPECT_THAT(named_scores({}), IsEmpty());
}

TEST(ScoreCollector, AveragesOverImages) {
  ScoreCollector collector("model");
  collector.add({{"abs_rel", 0.1}, {"ll", 4.0}});
  collector.add({{"abs_rel", 0.3}});

  const TableRow row = collector.row(score_columns());

  EXPECT_EQ(row.name, "model");
  EXPECT_DOUBLE_EQ(cell(row, "abs_rel")->mean, 0.2);
  EXPECT_DOUBLE_EQ(cell(row, "abs_rel")->std, 0.1);
  EXPECT_EQ(cell(row, "ll")->count, 1);
  EXPECT_FALSE(cell(row, "rmse").has_value());
  EXPECT_THAT(row.warnings, IsEmpty());
}

TEST(ScoreCollector, WarnsWhereSamplesExplodeOrCollapse) {
  const auto warnings = [](double ratio) {
    ScoreCollector collector("model");
    collector.add({{"mean_ratio_median", ratio}});
    return collector.row(score_columns()).warnings;
  };
  EXPECT_THAT(warnings(1.0), IsEmpty());
  EXPECT_THAT(warnings(8.0), ElementsAre(HasSubstr("explode")));
  EXPECT_THAT(warnings(0.2), ElementsAre(HasSubstr("too narrow")));
  EXPECT_THAT(warnings(std::numeric_limits<double>::quiet_NaN()),
              ElementsAre(HasSubstr("not finite")));
}

TEST(ScoreCollector, WarnsWhereTheFixedScaleDoesNotFit) {
  const auto warnings = [](const std::vector<double>& ratios) {
    ScoreCollector collector("model");
    for (const double ratio : ratios) collector.add({{"scale_ratio", ratio}});
    return collector.row(score_columns()).warnings;
  };
  EXPECT_THAT(warnings({0.9, 1.1, 7.0}), IsEmpty());
  EXPECT_THAT(warnings({5.0, 6.0, 1.0}),
              ElementsAre(HasSubstr("the true depths are 5 times those predicted")));
}

TEST(ScoreCollector, WarnsOfValuesThatAreNotFinite) {
  ScoreCollector collector("model");
  collector.add({{"non_finite", 12.0}});
  EXPECT_THAT(collector.row(score_columns()).warnings, ElementsAre(HasSubstr("1 image(s)")));
}

TEST(ProtocolCaption, StatesProtocolCropAndScale) {
  const auto caption = [](const EvaluationConfig& config) {
    std::string text;
    for (const auto& [name, value] : protocol_caption(config)) text += name + ": " + value + "\n";
    return text;
  };
  EXPECT_THAT(caption({}), HasSubstr("protocol: eigen, 0.001 < depth < 80 m\ncrop: rows [0.4081"));
  EXPECT_THAT(caption({}), HasSubstr("scale: fixed, 5.4 / disparity"));
  EXPECT_THAT(
      caption({.protocol = AccuracyProtocol::kEigenBenchmark, .scale = DepthScaleMode::kMedian}),
      HasSubstr("crop: none\nscale: median ratio"));
}

}  // namespace
}  // namespace supn
