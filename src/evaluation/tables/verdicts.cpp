#include "supn/evaluation/tables/verdicts.hpp"

#include <map>
#include <optional>
#include <set>

#include "supn/evaluation/tables/overview.hpp"

namespace supn {

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
  if (truth) judge_beside_distance(*truth);
  for (const JudgedModel& model : models) {
    judge_beside_distance(model.name);
    for (const KnownSetting& setting : known_settings(known)) {
      const std::string row = known_row_name(model.name, setting.name);
      more[row] = against_others(sheet, row, compared_rows(model.name, setting, model.isotropic));
    }
  }
  for (TableRow& row : table.rows) {
    if (without.contains(row.name)) continue;
    row.verdict = verdict(row, table.columns);
    const auto found = more.find(row.name);
    if (found == more.end() || found->second.empty()) continue;
    row.verdict += (row.verdict.empty() ? "" : "; ") + found->second;
  }
}

}  // namespace supn
