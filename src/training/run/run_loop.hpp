// The loop over epochs and steps of a run, and what it saves when.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "supn/data/dataset.hpp"
#include "supn/training/run.hpp"
#include "supn/training/trainer.hpp"
#include "training/records/run_records.hpp"
#include "training/run/run_directory.hpp"
#include "training/run/run_start.hpp"
#include "training/run/run_state.hpp"

namespace supn {

class RunLoop {
 public:
  // Finds everything that can be wrong with the inputs before it writes the first file.
  RunLoop(const TrainingRun& run, TrainingObserver& observer, StartingPoint start);

  TrainingResult execute();

 private:
  using Clock = std::chrono::steady_clock;

  Continuation run_epoch();
  Continuation train_epoch();
  Continuation finish_step(TrainedStep step);
  Continuation finish_validation(EpochReport& report);
  // kStop where one of the processes says so.
  Continuation agreed(Continuation own) const;
  bool writes() const { return run_.processes->is_first(); }
  // Returns nothing if it was stopped.
  std::optional<ValidationReport> validate_epoch(const EpochReport& report);
  EpochReport epoch_report() const;
  bool is_validated(std::int64_t epoch) const;
  void judge(EpochReport& report);
  void finish_epoch(const EpochReport& report);
  void record_pictures(Stage stage);
  void save(const std::filesystem::path& checkpoint) const;
  void save_last();
  RunState state() const;

  const TrainingRun& run_;
  TrainingObserver& observer_;
  RunDirectory directory_;
  KittiDataset train_;
  KittiDataset validation_;
  std::int64_t steps_per_epoch_;
  RunState state_;  // but for the trainer's progress
  Trainer trainer_;
  std::optional<RunLock> lock_;  // this and the records: of the first process
  KeptCheckpoints kept_;
  std::string range_;  // of the last validation, as JSON (training_range.hpp)
  std::optional<RunRecords> records_;
  std::int64_t saved_steps_ = -1;  // finished steps of last/, as far as this process saved it
};

}  // namespace supn
