#include "run_warnings.hpp"

#include <sstream>

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

std::string spread_warning(std::int64_t epoch, const SpreadRatio& ratio) {
  std::ostringstream text;
  text << "epoch " << epoch << ": the samples " << (ratio.median < 1.0 ? "collapse" : "explode")
       << ": their std is " << ratio.median
       << " times the members' distance from the mean at the median pixel (5-95 %: " << ratio.low
       << " to " << ratio.high
       << "; plausible: 0.5 to 2), which the likelihood does not see. Use network.order "
          "coarse_to_fine, network.off_diagonal factored or twofold, training.losses.std_match or "
          "energy_match, or a lower training.optimizer.mean_factor";
  return text.str();
}

}  // namespace supn
