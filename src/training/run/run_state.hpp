// A run needs this to go on, beside weights and optimizer: progress.json of a checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "supn/data/dataset.hpp"
#include "supn/training/step_report.hpp"
#include "supn/training/validation_report.hpp"

namespace supn {

struct BestEpoch {
  std::int64_t epoch = 0;
  ValidationReport report;
};

// An unfinished epoch: what its steps so far add up to.
struct EpochSums {
  std::int64_t steps = 0;
  double loss = 0.0;
  std::vector<double> terms;
  double largest_gradient_norm = 0.0;
  double residual_variance = 0.0;
  std::vector<double> level_variances;
  double seconds = 0.0;          // since the epoch began, without the time that the run was stopped
  double waiting_seconds = 0.0;  // of these, for the loader

  void add(const StepReport& step);
};

// A split by its content, wherever its file is.
struct SplitMark {
  std::int64_t images = 0;
  std::string hash;  // of the frames' ids in their order, 16 hexadecimal digits
  bool operator==(const SplitMark&) const = default;
};

SplitMark mark_of(const KittiDataset& dataset);

struct RunState {
  TrainingProgress progress;
  std::optional<BestEpoch> best;
  EpochSums epoch;
  std::optional<SplitMark> train;  // none in checkpoints of older versions
  std::optional<SplitMark> validation;
};

std::string to_json(const RunState& state);
// Throws IoError naming `file` if the text is not what to_json writes.
RunState run_state_from_json(const std::string& text, const std::filesystem::path& file);

}  // namespace supn
