// The epoch order says which images the steps of a training epoch take.
#pragma once

#include <cstdint>

#include "supn/data/dataset.hpp"
#include "supn/data/loader.hpp"
#include "supn/training/run.hpp"

namespace supn {

// Returns this process's part of them.
LoaderOptions training_order(const TrainingConfig& config,
                             const ProcessGroup& processes,
                             std::int64_t epoch);

// Throws ConfigError if the processes cannot share a batch evenly, or if there is not one full
// batch.
std::int64_t steps_per_epoch(const KittiDataset& train, const TrainingRun& run);

}  // namespace supn
