// The terminal shows warnings alone for a process that is not the first of its group.
#pragma once

#include <spdlog/spdlog.h>

#include "common/interrupt.hpp"
#include "supn/training/run.hpp"

namespace supn {

// Stops the run after an interrupt, as TrainReport does.
class FollowerReport : public TrainingObserver {
 public:
  void on_start(const RunPlan&) override {}
  Continuation on_step(const TrainedStep&) override {
    return interrupt_requested() ? Continuation::kStop : Continuation::kGoOn;
  }
  Continuation on_validated(std::int64_t) override { return Continuation::kGoOn; }
  void on_epoch(const EpochReport&) override {}
  void on_warning(const std::string& message) override { spdlog::warn("{}", message); }
};

}  // namespace supn
