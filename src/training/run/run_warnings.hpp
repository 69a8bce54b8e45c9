// A validated epoch can give these warnings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supn/training/run.hpp"

namespace supn {

// Tells whether the likelihood has run away from images that it was not fitted to: training leads
// validation by more than 1 nat/pixel/sample, and the whitened members vary more than twice as much
// there. False where the validation has no factor. The report must be of a validated epoch.
bool runs_away(const EpochReport& report);
std::string runaway_warning(const EpochReport& report);

// Levels of the order from coarse to fine (LevelStatistics) on which the whitened members' variance
// is above 1.5 on validation images and more than twice what it is on training images. The report
// must be of a validated epoch.
std::vector<std::size_t> overfitted_levels(const EpochReport& report);
std::string overfit_warning(const EpochReport& report);

// Advises, for a ratio that is not plausible (spread.hpp), what the run has not set yet.
std::string spread_warning(std::int64_t epoch, const SpreadRatio& ratio, const TrainingRun& run);

// Warns of a scale ratio that is not plausible (scale_ratio.hpp).
std::string scale_warning(std::int64_t epoch, double ratio, double scale);

// All that apply to a validated epoch, in the order in which people read them.
std::vector<std::string> warnings_of(const EpochReport& report, const TrainingRun& run);

}  // namespace supn
