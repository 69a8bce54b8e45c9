// A run begins from initial weights, or from its last checkpoint.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "supn/network/supn_network.hpp"
#include "supn/training/run.hpp"
#include "training/run/run_directory.hpp"
#include "training/run/run_state.hpp"

namespace supn {

struct StartingPoint {
  SupnNetwork network{nullptr};
  RunState state;
  std::map<std::string, at::Tensor> optimizer;
  std::string range;  // JSON (training_range.hpp)
  std::optional<WeightReport> initial_weights;
  std::vector<OptionChange> changes;
  std::optional<RunLock> lock;  // held already where a run is resumed
};

// Writes nothing. Throws ConfigError if the directory holds a run.
StartingPoint fresh_start(const TrainingRun& run, const RunDirectory& directory);

// Throws ConfigError if there is no checkpoint, if it is another network's, or if an option changed
// that must not; IoError if it is damaged.
StartingPoint resumed_start(const TrainingRun& run, const RunDirectory& directory);

// Throws ConfigError if the state stored in the directory's last checkpoint is of other splits, or
// if its steps do not fit epochs of this many.
void check_splits(const RunDirectory& directory,
                  const RunState& stored,
                  const RunState& now,
                  std::int64_t steps_per_epoch);

}  // namespace supn
