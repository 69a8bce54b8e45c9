// A whole training run: data, network, trainer, validation, and the run's directory
//
//   <output>/last/          checkpoint after the last finished epoch, with optimizer and progress
//   <output>/best/          checkpoint of the epoch that is_better() than all others
//   <output>/metrics.jsonl  metrics_log.hpp
//   <output>/config.yaml    the resolved configuration
//
// A run that was stopped goes on from last/ as if it had never stopped: bit-identical on the CPU
// with the same number of threads.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

#include "supn/data/data_config.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/network/network_config.hpp"
#include "supn/network/weights.hpp"
#include "supn/training/metrics_log.hpp"
#include "supn/training/training_config.hpp"

namespace supn {

enum class RunStart { kFresh, kResume };

struct TrainingRun {
  DataConfig data;
  NetworkConfig network;
  TrainingConfig training;
  EvaluationConfig evaluation;
  std::string resolved_config;  // text that is stored with the run and each checkpoint
  c10::Device device = c10::Device(c10::kCPU);
  RunStart start = RunStart::kFresh;
};

struct RunPlan {
  std::int64_t finished_epochs = 0;
  std::int64_t epochs = 0;  // both stages
  std::int64_t steps_per_epoch = 0;
  std::int64_t train_images = 0;
  std::int64_t validation_images = 0;
  std::optional<WeightReport> initial_weights;
};

// Told what happens, in the thread that trains. What an implementation throws stops the run between
// two steps; last/ is then that of the last finished epoch.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_start(const RunPlan& plan) = 0;
  // step counts from 1 within the epoch.
  virtual void on_step(const StepReport& report, std::int64_t epoch, std::int64_t step) = 0;
  virtual void on_validated(std::int64_t images) = 0;
  virtual void on_epoch(const EpochReport& report) = 0;
  virtual void on_warning(const std::string& message) = 0;
};

struct TrainingResult {
  std::int64_t finished_epochs = 0;
  std::int64_t best_epoch = 0;  // 0 = none yet
  std::optional<ValidationReport> best;
};

// Throws ConfigError if the output directory is not set, already holds a run (fresh) or none
// (resume), if the run there has another network, if there is nothing to train on, or if training
// diverges; IoError for files.
TrainingResult run_training(const TrainingRun& run, TrainingObserver& observer);

}  // namespace supn
