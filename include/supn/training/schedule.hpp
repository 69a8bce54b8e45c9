// These pure functions give the learning rate over time. Factors multiply every group's learning
// rate.
//
//   halving  f = ½^(number of entries of halve_after that are <= finished epochs)
//   cosine   f = floor + (1 − floor)·½(1 + cos(π·step/total))
//
// both times the ramp-up min(1, (step+1)/ramp_up_steps). Halving after epochs 1, 5 and 15 is the
// paper's (section 4); cosine is for small sets (docs/method.md "Small sets").
#pragma once

#include <cstdint>

#include "supn/training/training_config.hpp"

namespace supn {

// A stage is a run of epochs with one loss and one optimizer.
enum class Stage { kWarmUp, kLikelihood };

// Says where a stage stands. step and total_steps count within the stage.
struct StageClock {
  std::int64_t finished_epochs = 0;
  std::int64_t step = 0;
  std::int64_t total_steps = 1;
};

// Epochs are counted from 0 over both stages: [0, warm_up.epochs) warm the mean network up.
Stage stage_of(std::int64_t epoch, const TrainingConfig& config);

// Returns warm_up.epochs + epochs.
std::int64_t total_epochs(const TrainingConfig& config);

// The clock before global step `step` of `steps_per_epoch` each. Throws c10::Error if
// steps_per_epoch < 1 or step < 0.
StageClock stage_clock(std::int64_t step,
                       std::int64_t steps_per_epoch,
                       const TrainingConfig& config);

// Returns the learning rate's factor in [0, 1].
double schedule_factor(const StageClock& clock, const ScheduleConfig& schedule);

}  // namespace supn
