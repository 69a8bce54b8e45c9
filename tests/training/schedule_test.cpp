#include "supn/training/schedule.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

namespace supn {
namespace {

TEST(Schedule, HalvesAfterThePapersEpochs) {
  const ScheduleConfig paper;
  const auto factor = [&](std::int64_t epoch) { return schedule_factor({epoch, 7, 100}, paper); };
  EXPECT_DOUBLE_EQ(factor(0), 1.0);
  EXPECT_DOUBLE_EQ(factor(1), 0.5);
  EXPECT_DOUBLE_EQ(factor(4), 0.5);
  EXPECT_DOUBLE_EQ(factor(5), 0.25);
  EXPECT_DOUBLE_EQ(factor(14), 0.25);
  EXPECT_DOUBLE_EQ(factor(15), 0.125);
  EXPECT_DOUBLE_EQ(factor(19), 0.125);
}

TEST(Schedule, CosineFallsFromOneToItsFloor) {
  ScheduleConfig cosine;
  cosine.kind = ScheduleKind::kCosine;
  cosine.floor = 0.05;
  EXPECT_DOUBLE_EQ(schedule_factor({0, 0, 200}, cosine), 1.0);
  EXPECT_NEAR(schedule_factor({0, 100, 200}, cosine), 0.525, 1e-12);
  EXPECT_NEAR(schedule_factor({0, 50, 200}, cosine), 0.05 + 0.95 * 0.8535533905932737, 1e-12);
  EXPECT_NEAR(schedule_factor({0, 200, 200}, cosine), 0.05, 1e-12);
}

TEST(Schedule, RampsUpLinearly) {
  ScheduleConfig schedule;
  schedule.ramp_up_steps = 20;
  EXPECT_DOUBLE_EQ(schedule_factor({0, 0, 100}, schedule), 0.05);
  EXPECT_DOUBLE_EQ(schedule_factor({0, 9, 100}, schedule), 0.5);
  EXPECT_DOUBLE_EQ(schedule_factor({0, 19, 100}, schedule), 1.0);
  EXPECT_DOUBLE_EQ(schedule_factor({0, 60, 100}, schedule), 1.0);
}

TEST(Schedule, CountsEpochsAndStepsWithinEachStage) {
  TrainingConfig config;
  config.warm_up.epochs = 2;
  config.epochs = 3;
  EXPECT_EQ(total_epochs(config), 5);
  EXPECT_EQ(stage_of(1, config), Stage::kWarmUp);
  EXPECT_EQ(stage_of(2, config), Stage::kLikelihood);

  const StageClock warming = stage_clock(15, 10, config);
  EXPECT_EQ(warming.finished_epochs, 1);
  EXPECT_EQ(warming.step, 15);
  EXPECT_EQ(warming.total_steps, 20);

  const StageClock likelihood = stage_clock(34, 10, config);
  EXPECT_EQ(likelihood.finished_epochs, 1);
  EXPECT_EQ(likelihood.step, 14);
  EXPECT_EQ(likelihood.total_steps, 30);
}

TEST(Schedule, RefusesAnEpochWithoutSteps) {
  EXPECT_THROW(stage_clock(0, 0, TrainingConfig{}), c10::Error);
}

}  // namespace
}  // namespace supn
