#include "supn/evaluation/tables/verdicts.hpp"

#include <gmock/gmock.h>

#include <map>

namespace supn {
namespace {

using testing::HasSubstr;
using testing::Not;

std::map<std::string, std::string> verdicts(const ScoreSheet& sheet,
                                            const KnownRequest& known,
                                            const std::optional<std::string>& truth) {
  Table table;
  table.columns = sheet.columns();
  table.rows = sheet.rows();
  add_verdicts(sheet, {{.name = "m", .isotropic = std::nullopt}}, known, truth, table);
  std::map<std::string, std::string> found;
  for (const TableRow& row : table.rows) found[row.name] = row.verdict;
  return found;
}

TEST(Verdicts, CompareEachRowWithItsOwnRivals) {
  ScoreSheet sheet(score_columns());
  sheet.keep(sheet.row("m"), "1", {{"aurg_abs_rel", 0.01}, {"aurg_logit", 0.08}});
  sheet.keep(sheet.row("m, depth itself"), "1", {{"aurg_abs_rel", 0.02}, {"aurg_logit", 0.05}});
  sheet.keep(sheet.row("m, 25 points"), "1", {{"abs_rel", 0.1}});
  sheet.keep(sheet.row("m, 25 points: mean x median ratio"), "1", {{"abs_rel", 0.12}});
  auto found = verdicts(sheet, {.counts = {25}}, std::nullopt);
  EXPECT_THAT(found["m"], HasSubstr("better than chance; its AURG beyond that of distance: logit"));
  EXPECT_THAT(found["m, 25 points"], HasSubstr("AbsRel against mean x median ratio: -0.0200"));
  EXPECT_EQ(found["m, depth itself"], "");  // claims nothing
}

TEST(Verdicts, SayWhereNoImageHasPointsEnough) {
  ScoreSheet sheet(score_columns());
  sheet.keep(sheet.row("m"), "1", {{"abs_rel", 0.1}});
  sheet.row("m, 25 points");
  EXPECT_THAT(verdicts(sheet, {.counts = {25}}, std::nullopt)["m, 25 points"],
              HasSubstr("no image has so many ground-truth points"));
}

TEST(Verdicts, JudgeTheTruthBesideDistanceToo) {
  ScoreSheet sheet(score_columns());
  sheet.keep(sheet.row("truth"), "1", {{"aurg_logit", 0.08}});
  sheet.keep(sheet.row("truth, depth itself"), "1", {{"aurg_logit", 0.05}});
  EXPECT_THAT(verdicts(sheet, {}, "truth")["truth"], HasSubstr("logit 0.0300"));
  EXPECT_THAT(verdicts(sheet, {}, std::nullopt)["truth"], Not(HasSubstr("logit")));
}

}  // namespace
}  // namespace supn
