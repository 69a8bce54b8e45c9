#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "supn/evaluation/scores/scale_ratio.hpp"
#include "supn/evaluation/scores/spread.hpp"
#include "supn/evaluation/scores/summary.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/rounded.hpp"

namespace supn {
namespace {

double middle(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::string spread_warning(double ratio) {
  const std::string what = ratio < kMinPlausibleRatio ? "samples are far too narrow"
                           : std::isnan(ratio)        ? "samples are not finite"
                                                      : "samples are far too wide or explode";
  return "std " + rounded(ratio, 6) + " times the members' distance from the mean (plausible: " +
         rounded(kMinPlausibleRatio, 6) + " to " + rounded(kMaxPlausibleRatio, 6) + "): " + what +
         ", which the likelihood does not see";
}

std::string scale_warning(double ratio) {
  return "the true depths are " + rounded(ratio, 6) +
         " times those predicted (medians): the fixed scale does not fit; set evaluation.scale: "
         "median for networks trained without stereo pairs, or evaluation.fixed_scale, or check "
         "the units (and --external-baseline) of the maps";
}

}  // namespace

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
  if (const auto ratios = values_.find("mean_ratio_median"); ratios != values_.end()) {
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
       fixed ? "fixed, " + rounded(config.fixed_scale, 6) + " / disparity"
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
           " samples (beside the factor: of the exact marginals) / std of the members in logits "
           "(about the mean: / their rms about the model's mean): median, 5 % and 95 % over "
           "pixels, averaged over images"},
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
