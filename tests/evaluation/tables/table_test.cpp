#include "supn/evaluation/tables/table.hpp"

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "supn/serialization/json.hpp"

namespace supn {
namespace {

using testing::HasSubstr;
using testing::Not;

Table small_table() {
  return {.title = "Results on test_files",
          .caption = {{"protocol", "eigen, depth < 80 m"}, {"images", "2"}},
          .columns = {{"abs_rel", "AbsRel", "Accuracy", 4},
                      {"ll_sum", "LL sum", "Likelihood", -4},
                      {"unused", "Unused", "Likelihood", 2}},
          .rows = {{"runs/a_b", {Summary{0.12344, 0.01, 2}, Summary{4.061e6, 1e5, 2}, {}}, {}},
                   {"ensemble", {Summary{0.1, 0.02, 1}, {}, {}}, {"samples, say, \"explode\""}}}};
}

TEST(TextTable, AlignsBlocksAndMarksWarnings) {
  EXPECT_EQ(text_table(small_table()),
            "Results on test_files\n"
            "\n"
            "Accuracy\n"
            "model                AbsRel\n"
            "runs/a_b    0.1234 (0.0100)\n"
            "ensemble !  0.1000 (0.0200)\n"
            "\n"
            "Likelihood\n"
            "model                    LL sum\n"
            "runs/a_b  4.061e+06 (1.000e+05)\n"
            "\n"
            "! ensemble: samples, say, \"explode\"\n"
            "protocol: eigen, depth < 80 m\n"
            "images: 2\n");
}

TEST(TextTable, PadsByTheColumnsThatATerminalShows) {
  Table table = small_table();
  table.columns.resize(1);
  for (TableRow& row : table.rows) row.cells.resize(1);
  table.rows[0].name = "Straße 東";
  table.rows[1].warnings.clear();
  EXPECT_THAT(text_table(table),
              HasSubstr("model               AbsRel\n"
                        "Straße 東  0.1234 (0.0100)\n"
                        "ensemble   0.1000 (0.0200)\n"));
}

TEST(TextTable, PrintsHugeAndNonFiniteValuesBriefly) {
  Table table = small_table();
  table.rows[0].cells[0] = Summary{4e15, std::numeric_limits<double>::infinity(), 2};
  EXPECT_THAT(text_table(table), HasSubstr("4.0000e+15 (inf)"));
}

TEST(CsvTable, QuotesAndKeepsEveryDigit) {
  EXPECT_EQ(csv_table(small_table()),
            "# Results on test_files\n"
            "# protocol: eigen, depth < 80 m\n"
            "# images: 2\n"
            "model,abs_rel,abs_rel_std,ll_sum,ll_sum_std,unused,unused_std,images,warnings\n"
            "runs/a_b,0.12343999999999999,0.01,4061000,100000,,,2,\n"
            "ensemble,0.10000000000000001,0.02,,,,,1,\"samples, say, \"\"explode\"\"\"\n");
}

TEST(JsonTable, HoldsCaptionScoresAndWarnings) {
  const Json json = parse_json(json_table(small_table()));

  EXPECT_EQ(json.at("caption").at("protocol"), "eigen, depth < 80 m");
  const Json& row = json.at("rows").at(0);
  EXPECT_EQ(row.at("name"), "runs/a_b");
  const Json& score = row.at("scores").at("abs_rel");
  EXPECT_EQ(score.at("mean"), 0.12344);
  EXPECT_EQ(score.at("std"), 0.01);
  EXPECT_EQ(score.at("images"), 2);
  EXPECT_FALSE(row.at("scores").contains("unused"));
  EXPECT_EQ(json.at("rows").at(1).at("warnings").at(0), "samples, say, \"explode\"");
}

TEST(JsonTable, WritesNullForWhatJsonCannotHold) {
  Table table = small_table();
  table.rows[0].cells[0] = Summary{std::numeric_limits<double>::quiet_NaN(), 0.0, 2};
  const Json json = parse_json(json_table(table));
  const Json& row = json.at("rows").at(0);
  EXPECT_EQ(row.at("scores").at("abs_rel").at("mean"), Json());
}

TEST(LatexTable, EscapesAndCaptions) {
  const std::string latex = latex_table(small_table());
  EXPECT_THAT(latex, HasSubstr("{}runs/a\\_b & 0.1234 (0.0100) \\\\\n"));
  EXPECT_THAT(latex, HasSubstr("{}ensemble$^{!}$ & "));
  EXPECT_THAT(latex,
              HasSubstr("\\caption{Results on test\\_files.\nprotocol: eigen, depth $<$ 80"));
  EXPECT_THAT(latex, Not(HasSubstr("Unused")));
}

TEST(Tables, RejectRowsOfAnotherWidth) {
  Table table = small_table();
  table.rows[0].cells.pop_back();
  EXPECT_THROW(text_table(table), c10::Error);
  EXPECT_THROW(csv_table(table), c10::Error);
  EXPECT_THROW(json_table(table), c10::Error);
  EXPECT_THROW(latex_table(table), c10::Error);
}

TEST(CsvField, QuotesOnlyWhatMustBe) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
}

}  // namespace
}  // namespace supn
