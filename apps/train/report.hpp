// The terminal shows a training run as a progress bar over all steps and each epoch's result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/progress.hpp"
#include "supn/training/run.hpp"

namespace supn {

// Stops the run after the first interrupt (common/interrupt.hpp).
class TrainReport : public TrainingObserver {
 public:
  void on_start(const RunPlan& plan) override;
  Continuation on_step(const TrainedStep& step) override;
  Continuation on_validated(std::int64_t images) override;
  void on_epoch(const EpochReport& report) override;
  void on_warning(const std::string& message) override;

 private:
  RunPlan plan_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace supn
