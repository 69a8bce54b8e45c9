#include "supn/evaluation/tables/verdicts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "supn/evaluation/tables/overview.hpp"

namespace supn {
namespace {

bool is_empty(const TableRow& row) {
  return std::none_of(
      row.cells.begin(), row.cells.end(), [](const auto& cell) { return cell.has_value(); });
}

}  // namespace

std::string distance_row_name(const std::string& model) { return model + ", depth itself"; }

void add_verdicts(const ScoreSheet& sheet,
                  const std::vector<JudgedModel>& models,
                  const KnownRequest& known,
                  const std::optional<std::string>& truth,
                  Table& table) {
  std::map<std::string, std::string> more;  // by row
  std::set<std::string> without;            // the depth itself claims nothing
  const auto judge_beside_distance = [&](const std::string& row) {
    without.insert(distance_row_name(row));
    more[row] = beyond_distance(sheet, row, distance_row_name(row));
  };
  std::set<std::string> given_points;
  if (truth) judge_beside_distance(*truth);
  for (const JudgedModel& model : models) {
    judge_beside_distance(model.name);
    const std::vector<std::string> rows = known_rows(model.name, known, model.isotropic);
    given_points.insert(rows.begin(), rows.end());
    for (const KnownSetting& setting : known_settings(known)) {
      const std::string row = known_row_name(model.name, setting.name);
      more[row] = against_others(sheet, row, compared_rows(model.name, setting, model.isotropic));
    }
  }
  for (TableRow& row : table.rows) {
    if (without.contains(row.name)) continue;
    if (is_empty(row) && given_points.contains(row.name)) {
      row.verdict = "no image has so many ground-truth points, and others to judge by";
      continue;
    }
    row.verdict = verdict(row, table.columns);
    const auto found = more.find(row.name);
    if (found == more.end() || found->second.empty()) continue;
    row.verdict += (row.verdict.empty() ? "" : "; ") + found->second;
  }
}

}  // namespace supn
