#include "supn/evaluation/tables/overview.hpp"

#include <cmath>
#include <optional>

#include "supn/evaluation/scores/spread.hpp"
#include "supn/rounded.hpp"

namespace supn {
namespace {

// Spreads within a quarter are as wide as the members' for people's purposes.
constexpr double kNarrow = 0.8;
constexpr double kWide = 1.25;

std::optional<double> mean_of(const TableRow& row,
                              const std::vector<TableColumn>& columns,
                              const std::string& key) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].key == key && row.cells[c]) return row.cells[c]->mean;
  }
  return std::nullopt;
}

std::string spread_verdict(double ratio) {
  const char* judgement = std::isnan(ratio)            ? "not a number"
                          : ratio > kMaxPlausibleRatio ? "far too wide"
                          : ratio > kWide              ? "too wide"
                          : ratio < kMinPlausibleRatio ? "far too narrow"
                          : ratio < kNarrow            ? "too narrow"
                                                       : "as it should be";
  return "spread " + rounded(ratio, 2) + " × the members' distance from its mean: " + judgement;
}

// A constant uncertainty, which ranks nothing, has an AURG of a hundredth of the error; twice that
// is still none.
double chance_gain(const TableRow& row, const std::vector<TableColumn>& columns) {
  return 0.02 * mean_of(row, columns, "abs_rel").value_or(0.0);
}

}  // namespace

std::vector<OverviewColumn> score_overview() {
  return {{"abs_rel", "AbsRel ↓", "0"},
          {"rmse", "RMSE, m ↓", "0"},
          {"a1", "A1 ↑", "1"},
          {"ause_abs_rel", "AUSE ↓", "0"},
          {"aurg_abs_rel", "AURG ↑", "> 0"},
          {"ll", "log-likelihood ↑", "high"},
          {"mean_ratio_median", "spread → 1", "1"},
          {"pixel_in_90", "inside 90 % → 0.9", "0.9"}};
}

std::string verdict(const TableRow& row, const std::vector<TableColumn>& columns) {
  std::string text;
  if (const auto ratio = mean_of(row, columns, "mean_ratio_median")) text = spread_verdict(*ratio);
  if (const auto gain = mean_of(row, columns, "aurg_abs_rel")) {
    text += std::string(text.empty() ? "" : "; ") + "its uncertainty finds errors " +
            (*gain > chance_gain(row, columns) ? "better" : "no better") + " than chance";
  }
  return text;
}

std::string beyond_distance(const ScoreSheet& sheet,
                            const std::string& row,
                            const std::string& distance_row) {
  std::string gains;
  std::string none;
  for (const std::string space : {"sigmoid", "logit", "depth"}) {
    const auto difference = sheet.difference(row, distance_row, "aurg_" + space);
    if (!difference) continue;
    if (difference->interval.low > 0.0) {
      gains += (gains.empty() ? "its AURG beyond that of distance: " : ", ") + space + " " +
               difference->text();
    } else {
      none += (none.empty() ? "" : ", ") + space + " " + difference->text();
    }
  }
  if (none.empty()) return gains;
  return gains + (gains.empty() ? "" : "; ") + "it knows no more than distance in: " + none;
}

std::string against_others(const ScoreSheet& sheet,
                           const std::string& row,
                           const std::vector<std::pair<std::string, std::string>>& others) {
  std::string text;
  for (const auto& [other, name] : others) {
    const auto difference = sheet.difference(row, other, "abs_rel");
    if (!difference) continue;
    text += (text.empty() ? "AbsRel against " : "; against ") + name + ": " + difference->text();
  }
  return text;
}

}  // namespace supn
