#include "supn/evaluation/tables/score_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>

#include "supn/evaluation/scores/scale_ratio.hpp"
#include "supn/evaluation/scores/spread.hpp"
#include "supn/evaluation/scores/summary.hpp"

namespace supn {
namespace {

constexpr const char* kMean = "Accuracy of the mean";
constexpr const char* kBest = "Best of samples (ensemble: of members), per image and metric";
constexpr const char* kSparsification = "Sparsification";
constexpr const char* kExact = "Sparsification by the exact marginals";
constexpr const char* kSpaces =
    "AbsRel sparsification by space (exact marginals; members), and depth";
constexpr const char* kIntervals = "Intervals of depth on ground-truth points, shares of the depth";
constexpr const char* kLikelihood = "Likelihood of the members, and spread";
constexpr const char* kQuality = "Samples against the members, and the factor";
constexpr const char* kMembers = "Calibration on the members";
constexpr const char* kTruth = "Calibration on ground-truth points";
constexpr const char* kDistance = "Distance to the true factors";

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

double middle(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), place, values.end());
  return *place;
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

std::string scale_warning(double ratio) {
  return "the true depths are " + number(ratio) +
         " times those predicted (medians): the fixed scale does not fit; set evaluation.scale: "
         "median for networks trained without stereo pairs, or evaluation.fixed_scale, or check "
         "the units (and --external-baseline) of the maps";
}

std::vector<TableColumn> accuracy_columns() {
  return {
      {"abs_rel", "AbsRel", kMean, 4},
      {"sq_rel", "SqRel", kMean, 4},
      {"rmse", "RMSE", kMean, 4},
      {"rmse_log", "RMSElog", kMean, 4},
      {"a1", "A1", kMean, 4},
      {"a2", "A2", kMean, 4},
      {"a3", "A3", kMean, 4},
      {"scale_ratio", "scale ratio", kMean, 3},
      {"abs_rel_best", "AbsRel", kBest, 4},
      {"sq_rel_best", "SqRel", kBest, 4},
      {"rmse_best", "RMSE", kBest, 4},
      {"rmse_log_best", "RMSElog", kBest, 4},
      {"a1_best", "A1", kBest, 4},
      {"a2_best", "A2", kBest, 4},
      {"a3_best", "A3", kBest, 4},
  };
}

std::vector<TableColumn> sparsification_columns() {
  return {
      {"ause_abs_rel", "AbsRel AUSE", kSparsification, 4},
      {"aurg_abs_rel", "AbsRel AURG", kSparsification, 4},
      {"ause_rmse", "RMSE AUSE", kSparsification, 4},
      {"aurg_rmse", "RMSE AURG", kSparsification, 4},
      {"ause_a1", "A1 AUSE", kSparsification, 4},
      {"aurg_a1", "A1 AURG", kSparsification, 4},
      {"ause_abs_rel_exact", "AbsRel AUSE", kExact, 4},
      {"aurg_abs_rel_exact", "AbsRel AURG", kExact, 4},
      {"ause_rmse_exact", "RMSE AUSE", kExact, 4},
      {"aurg_rmse_exact", "RMSE AURG", kExact, 4},
      {"ause_a1_exact", "A1 AUSE", kExact, 4},
      {"aurg_a1_exact", "A1 AURG", kExact, 4},
      {"ause_sigmoid", "sigmoid AUSE", kSpaces, 4},
      {"aurg_sigmoid", "sigmoid AURG", kSpaces, 4},
      {"ause_logit", "logit AUSE", kSpaces, 4},
      {"aurg_logit", "logit AURG", kSpaces, 4},
      {"ause_depth", "depth AUSE", kSpaces, 4},
      {"aurg_depth", "depth AURG", kSpaces, 4},
  };
}

std::vector<TableColumn> likelihood_columns() {
  return {
      {"ll", "LL", kLikelihood, 3},
      {"ll_sum", "LL sum", kLikelihood, -4},
      {"ll_b", "LL B", kLikelihood, 3},
      {"ll_gap", "truth's LL - LL", kLikelihood, 3},
      {"ratio_median", "std ratio", kLikelihood, 3},
      {"ratio_p5", "5 %", kLikelihood, 3},
      {"ratio_p95", "95 %", kLikelihood, 3},
      {"logit_std", "std", kLikelihood, 4},
      {"non_finite", "not finite", kLikelihood, 0},
  };
}

std::vector<TableColumn> quality_columns() {
  return {
      {"exact_ratio_median", "std ratio", kQuality, 3},
      {"exact_ratio_p5", "5 %", kQuality, 3},
      {"exact_ratio_p95", "95 %", kQuality, 3},
      {"roughness", "roughness", kQuality, 3},
      {"roughness_ratio", "ratio", kQuality, 3},
      {"length_rows", "length, rows", kQuality, 1},
      {"length_rows_ratio", "ratio", kQuality, 3},
      {"length_columns", "length, columns", kQuality, 1},
      {"length_columns_ratio", "ratio", kQuality, 3},
      {"rho_share", "rho > 1", kQuality, 3},
      {"gain_share", "gain > 1", kQuality, 3},
      {"jacobi_residual", "Jacobi residual", kQuality, -2},
  };
}

std::vector<TableColumn> calibration_columns() {
  return {
      {"z_mean", "mean z", kMembers, 3},
      {"z_variance", "mean z^2", kMembers, 3},
      {"z_kurtosis", "kurtosis", kMembers, 2},
      {"z_autocorrelation", "autocorr.", kMembers, 3},
      {"pixel_in_50", "pixels in 50 %", kMembers, 3},
      {"pixel_in_90", "in 90 %", kMembers, 3},
      {"pixel_error", "error", kMembers, 3},
      {"region_in_90", "regions in 90 %", kMembers, 3},
      {"region_error", "error", kMembers, 3},
      {"difference_in_90", "differences in 90 %", kMembers, 3},
      {"difference_error", "error", kMembers, 3},
      {"energy", "energy", kMembers, 4},
      {"variogram", "variogram", kMembers, 5},
      {"truth_in_50", "points in 50 %", kTruth, 3},
      {"truth_in_90", "in 90 %", kTruth, 3},
      {"truth_z_rms", "rms z", kTruth, 2},
      {"truth_region_in_90", "regions in 90 %", kTruth, 3},
      {"truth_difference_in_90", "differences in 90 %", kTruth, 3},
      {"truth_z_variance", "whitened mean z^2", kTruth, 2},
      {"truth_nll", "NLL, independent", kTruth, 3},
      {"truth_joint_nll", "NLL, joint", kTruth, 3},
      {"truth_energy", "energy", kTruth, 4},
      {"truth_variogram", "variogram", kTruth, 5},
  };
}

std::vector<TableColumn> interval_columns() {
  return {
      {"depth_in_50", "points in 50 %", kIntervals, 3},
      {"depth_in_90", "in 90 %", kIntervals, 3},
      {"depth_width", "width", kIntervals, 3},
      {"depth_crps", "CRPS", kIntervals, 4},
      {"depth_score", "score", kIntervals, 3},
      {"region_depth_in_50", "regions in 50 %", kIntervals, 3},
      {"region_depth_in_90", "in 90 %", kIntervals, 3},
      {"region_depth_width", "width", kIntervals, 3},
      {"region_depth_crps", "CRPS", kIntervals, 4},
      {"region_depth_score", "score", kIntervals, 3},
      {"difference_depth_in_50", "differences in 50 %", kIntervals, 3},
      {"difference_depth_in_90", "in 90 %", kIntervals, 3},
      {"difference_depth_width", "width", kIntervals, 3},
      {"difference_depth_crps", "CRPS", kIntervals, 4},
      {"difference_depth_score", "score", kIntervals, 3},
  };
}

std::vector<TableColumn> distance_columns() {
  return {
      {"kl", "KL(true || model)", kDistance, 4},
      {"std_error", "rms log std", kDistance, 4},
      {"covariance_error", "covariance rows", kDistance, 4},
  };
}

}  // namespace

std::vector<TableColumn> score_columns() {
  std::vector<TableColumn> all;
  for (const auto& group : {accuracy_columns(),
                            sparsification_columns(),
                            likelihood_columns(),
                            quality_columns(),
                            calibration_columns(),
                            interval_columns(),
                            distance_columns()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
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
  if (const auto ratios = values_.find("scale_ratio"); ratios != values_.end()) {
    const double ratio = middle(ratios->second);
    if (!is_plausible_scale_ratio(ratio)) row.warnings.push_back(scale_warning(ratio));
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
      {"scale ratio", "median of the true depths / of those predicted, fixed scale: 1 is right"},
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
           " samples (beside the factor: of the exact marginals) / std of the members in logits: "
           "median, 5 % and 95 % over pixels, averaged over images"},
      {"roughness, length",
       "of " + samples +
           " samples (ensemble: of its members) and as a ratio to the members': rms of the "
           "differences of neighbours / std; pixels at which the correlation has fallen to 1/e"},
      {"rho > 1, gain > 1",
       "shares of pixels where the weights of the recursion behind sampling, taken absolutely or "
       "with their signs, add up to more than 1: samples may grow there"},
      {"calibration",
       "shares inside central intervals; error: mean distance of shares from probabilities; z: "
       "whitened (points: marginal); regions and differences: linear functionals of the joint "
       "distribution; energy, variogram: proper scores, logits, low is good; NLL: nats per point"},
      {"intervals",
       "of depth, by quantiles; width: of the 90 % interval; CRPS, score (of the 90 % interval): "
       "proper, low is good; regions: the depth at the mean logit; differences: to the nearest "
       "point, shares of the mean of both depths"},
      {"cells", "mean over images (std over images)"},
  };
}

}  // namespace supn
