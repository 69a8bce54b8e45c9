// The directory of one training run: what is where, what state it is in. Layout: run.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "supn/training/trainer.hpp"
#include "supn/training/validation.hpp"

namespace supn {

struct BestEpoch {
  std::int64_t epoch = 0;
  ValidationReport report;
};

// All that a run needs to go on beside weights and optimizer; progress.json of a checkpoint.
struct RunState {
  TrainingProgress progress;
  std::optional<BestEpoch> best;
};

std::string to_json(const RunState& state);
// Throws IoError naming `file` if the text is not what to_json writes.
RunState run_state_from_json(const std::string& text, const std::filesystem::path& file);

class RunDirectory {
 public:
  // Throws ConfigError if the path is empty.
  explicit RunDirectory(std::filesystem::path directory);

  std::filesystem::path last() const { return directory_ / "last"; }
  std::filesystem::path best() const { return directory_ / "best"; }
  std::filesystem::path metrics() const { return directory_ / "metrics.jsonl"; }
  std::filesystem::path config() const { return directory_ / "config.yaml"; }

  // Throws ConfigError if a run is in it.
  void require_free() const;
  // Throws IoError if the directory cannot be created.
  void create() const;
  // Throws ConfigError if there is no last/ to go on from.
  void require_run() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace supn
