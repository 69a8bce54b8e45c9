#include "supn/evaluation/tables/held_back_table.hpp"

#include <cmath>

namespace supn {

std::vector<TableColumn> held_back_columns() {
  const char* accuracy = "Accuracy of the mean on held-back points";
  const char* calibration = "Calibration on held-back points";
  const char* depth = "Intervals of depth on held-back points, shares of the depth";
  const char* images = "Images";
  return {{"abs_rel", "AbsRel", accuracy, 4},
          {"rmse", "RMSE", accuracy, 4},
          {"a1", "A1", accuracy, 4},
          {"coverage_50", "in 50 %", calibration, 3},
          {"coverage_90", "in 90 %", calibration, 3},
          {"deviation_rms", "rms z", calibration, 3},
          {"log_density", "log density", calibration, 3},
          {"logit_std", "std", calibration, 4},
          {"depth_width", "width", depth, 3},
          {"depth_crps", "CRPS", depth, 4},
          {"depth_score", "score", depth, 3},
          {"held_back", "points", images, 0},
          {"scale", "scale", images, 4}};
}

std::vector<OverviewColumn> held_back_overview() {
  return {{"abs_rel", "AbsRel ↓", "0"},
          {"rmse", "RMSE, m ↓", "0"},
          {"coverage_50", "inside 50 % → 0.5", "0.5"},
          {"coverage_90", "inside 90 % → 0.9", "0.9"},
          {"depth_width", "width ↓", "low"},
          {"depth_crps", "CRPS ↓", "low"}};
}

std::vector<NamedScore> named_held_back(const HeldBackScores& scores) {
  std::vector<NamedScore> values{{"abs_rel", scores.accuracy.abs_rel},
                                 {"rmse", scores.accuracy.rmse},
                                 {"a1", scores.accuracy.a1},
                                 {"held_back", static_cast<double>(scores.points)}};
  if (std::isnan(scores.coverage_50)) return values;
  values.insert(values.end(),
                {{"coverage_50", scores.coverage_50},
                 {"coverage_90", scores.coverage_90},
                 {"deviation_rms", scores.deviation_rms},
                 {"depth_width", scores.depth.width},
                 {"depth_crps", scores.depth.crps},
                 {"depth_score", scores.depth.score}});
  if (!std::isnan(scores.log_density)) values.emplace_back("log_density", scores.log_density);
  return values;
}

std::string known_row_name(std::int64_t count) {
  return count == 0 ? "no points" : std::to_string(count) + " points";
}

std::string rival_row_name(std::int64_t count, Rival rival) {
  return known_row_name(count) + ": " + std::string(option_name(rival));
}

}  // namespace supn
