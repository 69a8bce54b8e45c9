#include "supn/evaluation/score_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "supn/evaluation/spread.hpp"
#include "supn/evaluation/summary.hpp"

namespace supn {
namespace {

constexpr const char* kMean = "Accuracy of the mean";
constexpr const char* kBest = "Best of samples (ensemble: of members), per image and metric";
constexpr const char* kSparsification = "Sparsification";
constexpr const char* kLikelihood = "Likelihood of the members, and spread";

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string plausible_range() {
  return "[" + number(kMinPlausibleRatio) + ", " + number(kMaxPlausibleRatio) + "]";
}

std::string spread_warning(double ratio) {
  const std::string what = ratio < kMinPlausibleRatio ? "samples are far too narrow"
                           : std::isnan(ratio)        ? "samples are not finite"
                                                      : "samples explode";
  return "std ratio to the members " + number(ratio) + " is outside " + plausible_range() + ": " +
         what + ", which the likelihood does not see";
}

}  // namespace

std::vector<TableColumn> score_columns() {
  return {
      {"abs_rel", "AbsRel", kMean, 4},
      {"sq_rel", "SqRel", kMean, 4},
      {"rmse", "RMSE", kMean, 4},
      {"rmse_log", "RMSElog", kMean, 4},
      {"a1", "A1", kMean, 4},
      {"a2", "A2", kMean, 4},
      {"a3", "A3", kMean, 4},
      {"abs_rel_best", "AbsRel", kBest, 4},
      {"sq_rel_best", "SqRel", kBest, 4},
      {"rmse_best", "RMSE", kBest, 4},
      {"rmse_log_best", "RMSElog", kBest, 4},
      {"a1_best", "A1", kBest, 4},
      {"a2_best", "A2", kBest, 4},
      {"a3_best", "A3", kBest, 4},
      {"ause_abs_rel", "AbsRel AUSE", kSparsification, 4},
      {"aurg_abs_rel", "AbsRel AURG", kSparsification, 4},
      {"ause_rmse", "RMSE AUSE", kSparsification, 4},
      {"aurg_rmse", "RMSE AURG", kSparsification, 4},
      {"ause_a1", "A1 AUSE", kSparsification, 4},
      {"aurg_a1", "A1 AURG", kSparsification, 4},
      {"ll", "LL", kLikelihood, 3},
      {"ll_sum", "LL sum", kLikelihood, -4},
      {"ll_gap", "truth's LL - LL", kLikelihood, 3},
      {"ratio_median", "std ratio", kLikelihood, 3},
      {"ratio_p5", "5 %", kLikelihood, 3},
      {"ratio_p95", "95 %", kLikelihood, 3},
      {"logit_std", "std", kLikelihood, 4},
      {"non_finite", "not finite", kLikelihood, 0},
  };
}

void ScoreCollector::add(const std::vector<NamedScore>& scores) {
  for (const auto& [key, value] : scores) values_[std::string(key)].push_back(value);
}

TableRow ScoreCollector::row(const std::vector<TableColumn>& columns) const {
  TableRow row{name_, {}, {}};
  for (const TableColumn& column : columns) {
    const auto found = values_.find(column.key);
    row.cells.push_back(found == values_.end() ? std::nullopt
                                               : std::optional(summarise(found->second)));
  }
  if (const auto ratios = values_.find("ratio_median"); ratios != values_.end()) {
    const double ratio = summarise(ratios->second).mean;
    if (!is_plausible_spread(ratio)) row.warnings.push_back(spread_warning(ratio));
  }
  if (const auto counts = values_.find("non_finite"); counts != values_.end()) {
    row.warnings.push_back("samples of " + std::to_string(counts->second.size()) +
                           " image(s) have values that are not finite");
  }
  return row;
}

std::vector<std::pair<std::string, std::string>> protocol_caption(const EvaluationConfig& config) {
  const bool eigen = config.protocol == AccuracyProtocol::kEigen;
  const bool fixed = config.scale == DepthScaleMode::kFixed;
  const std::string samples = std::to_string(config.samples);
  return {
      {"protocol",
       std::string(option_name(config.protocol)) +
           (eigen ? ", 0.001 < depth < 80 m" : ", every pixel with ground truth")},
      {"crop",
       eigen ? "rows [0.40810811h, 0.99189189h), columns [0.03594771w, 0.96405229w), truncated"
             : "none"},
      {"scale",
       fixed ? "fixed, " + number(config.fixed_scale) + " / disparity"
             : "median ratio per image and map"},
      {"best", "of " + samples + " exact samples (ensemble: of its members)"},
      {"uncertainty",
       "std of " + std::to_string(std::min(config.std_samples, config.samples)) + " samples in " +
           std::string(option_name(config.uncertainty_space)) + " space"},
      {"AUSE, AURG", "per image, 50 steps, areas not normalised (other definitions differ)"},
      {"LL",
       "of the members under the model, finest scale, nats per pixel and member; LL sum: over "
       "pixels and members of an image"},
      {"std ratio",
       "std of " + samples +
           " samples / std of the members in logits: median, 5 % and 95 % over pixels, averaged "
           "over images"},
      {"cells", "mean over images (std over images)"},
  };
}

}  // namespace supn
