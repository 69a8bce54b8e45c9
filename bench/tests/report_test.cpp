#include "report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "problem.hpp"

namespace supn::bench {
namespace {

using testing::HasSubstr;

Row timed_row() {
  Row row;
  row.size = {192, 640};
  row.ours = "exact";
  row.peer = "a, \"quoted\" peer";
  row.times = PairedTimes{{1e-3, 9e-4, 2e-3}, {1e-2, 9e-3, 2e-2}, {10, 8, 12}, 7};
  row.targets = {at_least("ratio", 12)};
  row.targets.front().measured = 10;
  return row;
}

Row refused_row() {
  Row row = timed_row();
  row.times.reset();
  row.refused = "answers differ";
  return row;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(TableLine, ShowsRatioWithItsSpreadAndTheMissedTarget) {
  const std::string line = table_line(timed_row());
  EXPECT_THAT(line, HasSubstr("10.0 [8.00, 12.0] n=7"));
  EXPECT_THAT(line, HasSubstr("ratio >= 12.0: MISSED (10.0)"));
}

TEST(TableLine, ShowsWhyNothingWasMeasured) {
  EXPECT_THAT(table_line(refused_row()), HasSubstr("not measured: answers differ"));
}

TEST(TargetSummary, CountsMetMissedAndUnmeasured) {
  Row met = timed_row();
  met.targets.front().bound = 5;
  const std::string summary = target_summary({met, timed_row(), refused_row()});
  EXPECT_THAT(summary, HasSubstr("1 met, 1 missed, 1 not measured"));
}

TEST(WriteCsv, HasOneLineARowAndQuotesText) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "rows.csv";
  write_csv(path, {timed_row(), refused_row()});
  std::istringstream lines(content(path));
  std::string header, first, second, rest;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_FALSE(std::getline(lines, rest));
  EXPECT_THAT(header, HasSubstr("times.ratio.median"));
  EXPECT_THAT(first, HasSubstr("\"a, \"\"quoted\"\" peer\""));
  EXPECT_THAT(second, HasSubstr("\"answers differ\""));
}

TEST(WriteCsv, NamesTheFileItCannotWrite) {
  try {
    write_csv("/nonexistent/rows.csv", {});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/rows.csv"));
  }
}

TEST(WriteJson, KeepsRowsAndMachineLimits) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "bench.json";
  Suite suite{SuiteOptions{}};
  suite.refuse(refused_row(), "answers differ\nand more");
  write_json(path, RunRecord{}, suite);
  const auto json = nlohmann::json::parse(content(path));
  EXPECT_GT(json["run"]["limits_all_threads"]["dram_bytes_per_second"].get<double>(), 0);
  EXPECT_EQ(json["rows"][0]["refused"], "answers differ");
  EXPECT_TRUE(json["rows"][0]["times"].is_null());
  EXPECT_TRUE(json["rows"][0]["targets"][0]["met"].is_null());
}

}  // namespace
}  // namespace supn::bench
