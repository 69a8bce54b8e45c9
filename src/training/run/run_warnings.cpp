#include "training/run/run_warnings.hpp"

#include <cmath>
#include <optional>
#include <sstream>
#include <vector>

#include "supn/evaluation/scores/scale_ratio.hpp"
#include "supn/evaluation/scores/spread.hpp"

namespace supn {

bool runs_away(const EpochReport& report) {
  constexpr double kSuspiciousLead = 1.0;  // nats/pixel/sample
  constexpr double kSuspiciousRatio = 2.0;
  const ValidationReport& validation = *report.validation;
  const double lead = -report.train_terms.front() - validation.log_likelihood.front();
  return validation.factor && lead > kSuspiciousLead &&
         validation.factor->residual_variance > kSuspiciousRatio * report.residual_variance;
}

std::string runaway_warning(const EpochReport& report) {
  std::ostringstream text;
  text << "epoch " << report.epoch << ": the likelihood runs away: " << -report.train_terms.front()
       << " nats/pixel/sample on training images, " << report.validation->log_likelihood.front()
       << " on validation images, and the whitened members' variance is "
       << report.residual_variance << " against " << report.validation->factor->residual_variance
       << " (1 is right). Stop here (best/ keeps the best epoch), bound it by "
          "training.losses.likelihood_bound or target_noise, or use more images or members";
  return text.str();
}

std::vector<std::size_t> overfitted_levels(const EpochReport& report) {
  constexpr double kLargestVariance = 1.5;
  constexpr double kSuspiciousRatio = 2.0;
  std::vector<std::size_t> levels;
  if (!report.validation->factor) return levels;
  const std::vector<LevelStatistics>& validation = report.validation->factor->levels;
  for (std::size_t level = 0; level < report.level_variances.size(); ++level) {
    const double variance = validation.at(level).residual_variance;
    if (variance > kLargestVariance &&
        variance > kSuspiciousRatio * report.level_variances[level]) {
      levels.push_back(level);
    }
  }
  return levels;
}

std::string overfit_warning(const EpochReport& report) {
  std::ostringstream text;
  text << "epoch " << report.epoch << ": the covariance is over-fitted at the";
  for (const std::size_t level : overfitted_levels(report)) {
    text << (level + 1 == report.level_variances.size() ? " coarsest stride " : " stride ")
         << (std::size_t{1} << level) << " (the whitened members' variance is "
         << report.level_variances[level] << " on training images and "
         << report.validation->factor->levels[level].residual_variance << " on validation images)";
  }
  text << ". Lower training.optimizer.coarse_factor, stop earlier, or use more images or members";
  return text.str();
}

namespace {

// Factors whose samples stay finite.
bool is_bounded(const NetworkConfig& network) {
  const OffDiagonalForm form = network.off_diagonal;
  return network.order == PixelOrder::kCoarseToFine || form == OffDiagonalForm::kFactored ||
         form == OffDiagonalForm::kTwofold || form == OffDiagonalForm::kContractive;
}

std::string spread_remedy(const TrainingRun& run) {
  const NetworkConfig& network = run.network;
  const LossConfig& losses = run.training.losses;
  std::vector<std::string> remedies;
  const bool is_raster = network.order == PixelOrder::kRaster;
  if (is_raster) remedies.emplace_back("network.order coarse_to_fine");
  if (!is_bounded(network)) remedies.emplace_back("network.off_diagonal factored or twofold");
  const bool can_match = is_raster && network.off_diagonal == OffDiagonalForm::kFactored &&
                         network.neighbourhood_radius == 2;
  if (can_match) {
    remedies.emplace_back(losses.std_match > 0.0 ? "a larger training.losses.std_match"
                                                 : "training.losses.std_match");
  }
  remedies.emplace_back(losses.energy_match > 0.0 ? "a larger training.losses.energy_match"
                                                  : "training.losses.energy_match");
  if (run.training.optimizer.mean_factor > 0.0) {
    remedies.emplace_back("a lower training.optimizer.mean_factor");
  }
  std::string text;
  for (std::size_t i = 0; i < remedies.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == remedies.size() ? " or " : ", ") + remedies[i];
  }
  return text;
}

std::string spread_verb(const SpreadRatio& ratio, const NetworkConfig& network) {
  if (ratio.median < 1.0) return "are far too narrow";
  return is_bounded(network) ? "are far too wide" : "explode";
}

}  // namespace

std::string spread_warning(std::int64_t epoch, const SpreadRatio& ratio, const TrainingRun& run) {
  std::ostringstream text;
  text << "epoch " << epoch << ": the samples " << spread_verb(ratio, run.network)
       << ": their std is " << ratio.median
       << " times the members' distance from the mean at the median pixel (5-95 %: " << ratio.low
       << " to " << ratio.high << "; plausible: 0.5 to 2), which the likelihood does not see. Use "
       << spread_remedy(run);
  return text.str();
}

std::string scale_warning(std::int64_t epoch, double ratio, double scale) {
  return "epoch " + std::to_string(epoch) +
         ": AbsRel tells little: " + scale_ratio_text(ratio, scale) +
         "; set evaluation.scale: median for members trained without stereo pairs, or "
         "evaluation.fixed_scale";
}

std::vector<std::string> warnings_of(const EpochReport& report, const TrainingRun& run) {
  const ValidationReport& validation = *report.validation;
  std::vector<std::string> warnings;
  if (validation.scale_ratio && !is_plausible_scale_ratio(*validation.scale_ratio)) {
    warnings.push_back(
        scale_warning(report.epoch, *validation.scale_ratio, run.evaluation.fixed_scale));
  }
  if (report.stage == Stage::kWarmUp) return warnings;
  if (!std::isfinite(validation.log_likelihood.front())) {
    warnings.push_back("epoch " + std::to_string(report.epoch) +
                       ": the validation likelihood is not finite");
    return warnings;
  }
  const std::optional<SpreadRatio>& spread = judged_spread(validation);
  if (spread && !is_plausible_spread(spread->median)) {
    warnings.push_back(spread_warning(report.epoch, *spread, run));
  }
  if (runs_away(report)) warnings.push_back(runaway_warning(report));
  if (!overfitted_levels(report).empty()) warnings.push_back(overfit_warning(report));
  return warnings;
}

}  // namespace supn
