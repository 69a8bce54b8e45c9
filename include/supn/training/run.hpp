// A whole training run: data, network, trainer, validation, and the run's directory
//
//   <output>/last/          the newest checkpoint, with optimizer and progress: after each epoch,
//                           every training.checkpoint.every steps, where the run was stopped, and
//                           the starting network where no epochs are asked for
//   <output>/steps/<step>/  the training.checkpoint.keep newest, where that is 2 or more
//   <output>/best/          checkpoint of the epoch that is_better() than all others
//   <output>/metrics.jsonl, metrics.csv  metrics_log.hpp
//   <output>/tensorboard/   event files, unless training.tensorboard.every is 0
//   <output>/config.yaml    the resolved configuration
//
// A run that was stopped or killed, at whatever moment, goes on from last/ as if it had never
// stopped: bit-identical on the CPU with the same number of threads. Order and augmentation of the
// images are functions of seed, epoch and index, noise is of seed, step and image, so that nothing
// but weights, moments, counters and sums is to be kept.
//
// Several processes (process_group.hpp) share every batch: training.batch_size counts the images of
// all of them, and the same configuration gives the same curves up to rounding for any number.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/network/network_config.hpp"
#include "supn/network/weights.hpp"
#include "supn/training/metrics_log.hpp"
#include "supn/training/option_changes.hpp"
#include "supn/training/process_group.hpp"
#include "supn/training/training_config.hpp"

namespace supn {

enum class RunStart { kFresh, kResume };

struct TrainingRun {
  DataConfig data;
  NetworkConfig network;
  TrainingConfig training;
  EvaluationConfig evaluation;
  std::string resolved_config;  // text that is stored with the run and each checkpoint
  // Lists what the resolved configuration changes against the one in a checkpoint's config.yaml.
  // Without this function, or for a checkpoint without that file, only the text is compared.
  std::function<std::vector<OptionChange>(const std::filesystem::path&)> changes_since;
  c10::Device device = c10::Device(c10::kCPU);
  RunStart start = RunStart::kFresh;
  AnomalyDetection anomalies = AnomalyDetection::kAfterTheFact;
  // All that train together, each with the same run and a data folder and output directory that all
  // of them see. The first one validates and writes; the others' observers are told of steps and
  // epochs alone. A run may go on with another number of processes.
  std::shared_ptr<const ProcessGroup> processes = std::make_shared<ProcessGroup>();
};

struct RunPlan {
  TrainingProgress finished;  // before this start
  std::int64_t epochs = 0;    // both stages
  std::int64_t steps_per_epoch = 0;
  std::int64_t train_images = 0;
  std::int64_t validation_images = 0;
  std::optional<WeightReport> initial_weights;
  std::vector<OptionChange> changes;  // of the configuration since the checkpoint
};

struct TrainedStep {
  StepReport report;
  std::int64_t epoch = 0;  // from 1
  std::int64_t step = 0;   // from 1 within the epoch
  std::int64_t images = 0;
  double seconds = 0.0;          // from the step before, savings not counted
  double waiting_seconds = 0.0;  // of these, for the loader
};

enum class Continuation { kGoOn, kStop };

// Told what happens, in the thread that trains. After kStop, of any process's, the run is saved
// where it is, and run_training returns in all. What an implementation throws ends the run without
// saving it.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_start(const RunPlan& plan) = 0;
  virtual Continuation on_step(const TrainedStep& step) = 0;
  // A validation that is stopped is begun anew when the run goes on.
  virtual Continuation on_validated(std::int64_t images) = 0;
  virtual void on_epoch(const EpochReport& report) = 0;
  virtual void on_warning(const std::string& message) = 0;
};

enum class RunEnd { kFinished, kStopped };

struct TrainingResult {
  RunEnd end = RunEnd::kFinished;
  TrainingProgress finished;
  std::int64_t best_epoch = 0;  // 0 = none yet
  std::optional<ValidationReport> best;
};

// Throws ConfigError if the output directory is not set, is another process's, already holds a run
// (fresh) or none (resume), if the run there has another network, other images or an option that
// must not change (effect_of_change), if there is nothing to train on, if the processes cannot
// share a batch evenly, if another process is lost, or if training diverges; IoError for files.
// Everything saved before is then still there, whole.
TrainingResult run_training(const TrainingRun& run, TrainingObserver& observer);

}  // namespace supn
