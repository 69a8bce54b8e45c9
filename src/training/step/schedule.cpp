#include "supn/training/schedule.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supn {
namespace {

double ramp_up(std::int64_t step, std::int64_t steps) {
  if (steps <= 0) return 1.0;
  return std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(steps));
}

double halving(std::int64_t finished_epochs, const ScheduleConfig& schedule) {
  const auto passed = std::count_if(schedule.halve_after.begin(),
                                    schedule.halve_after.end(),
                                    [&](std::int64_t epoch) { return epoch <= finished_epochs; });
  return std::pow(0.5, static_cast<double>(passed));
}

double cosine(const StageClock& clock, double floor) {
  const double part = std::clamp(
      static_cast<double>(clock.step) / static_cast<double>(clock.total_steps), 0.0, 1.0);
  return floor + (1.0 - floor) * 0.5 * (1.0 + std::cos(std::numbers::pi * part));
}

}  // namespace

Stage stage_of(std::int64_t epoch, const TrainingConfig& config) {
  return epoch < config.warm_up.epochs ? Stage::kWarmUp : Stage::kLikelihood;
}

std::int64_t total_epochs(const TrainingConfig& config) {
  return config.warm_up.epochs + config.epochs;
}

StageClock stage_clock(std::int64_t step,
                       std::int64_t steps_per_epoch,
                       const TrainingConfig& config) {
  TORCH_CHECK(steps_per_epoch >= 1 && step >= 0,
              "stage_clock: expected step >= 0 and steps_per_epoch >= 1, got ",
              step,
              " and ",
              steps_per_epoch);
  const std::int64_t epoch = step / steps_per_epoch;
  const bool warming = stage_of(epoch, config) == Stage::kWarmUp;
  const std::int64_t first_epoch = warming ? 0 : config.warm_up.epochs;
  const std::int64_t epochs = warming ? config.warm_up.epochs : config.epochs;
  return {epoch - first_epoch,
          step - first_epoch * steps_per_epoch,
          std::max<std::int64_t>(1, epochs * steps_per_epoch)};
}

double schedule_factor(const StageClock& clock, const ScheduleConfig& schedule) {
  const double shape = schedule.kind == ScheduleKind::kHalving
                           ? halving(clock.finished_epochs, schedule)
                           : cosine(clock, schedule.floor);
  return shape * ramp_up(clock.step, schedule.ramp_up_steps);
}

}  // namespace supn
