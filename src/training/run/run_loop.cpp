#include "training/run/run_loop.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "supn/data/loader.hpp"
#include "supn/errors.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/training/validation.hpp"
#include "training/run/epoch_order.hpp"
#include "training/run/run_warnings.hpp"
#include "training/step/device_batches.hpp"

namespace supn {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Puts `trainer` where the checkpoint left it.
void restore(Trainer& trainer, const StartingPoint& start, const RunDirectory& directory) {
  try {
    trainer.restore(start.state.progress, start.optimizer);
  } catch (const c10::Error& error) {
    throw IoError(directory.last() / "optimizer.safetensors",
                  std::string("does not fit the run: ") + error.what_without_backtrace() +
                      "; put a checkpoint of steps/ in the place of last/, or start another run");
  }
}

RunState checked_state(const StartingPoint& start,
                       const RunDirectory& directory,
                       const KittiDataset& train,
                       const KittiDataset& validation,
                       std::int64_t steps_per_epoch) {
  RunState now = start.state;
  now.train = mark_of(train);
  now.validation = mark_of(validation);
  check_splits(directory, start.state, now, steps_per_epoch);
  return now;
}

// The last check of the inputs, then the first thing that is written.
std::optional<RunLock> begun(const TrainingRun& run, StartingPoint& start, Trainer& trainer) {
  const RunDirectory directory(run.training.output);
  restore(trainer, start, directory);
  if (!run.processes->is_first()) return {};
  // A user's own files there would end the run when the checkpoint is replaced.
  for (const auto& checkpoint : {directory.last(), directory.best()}) {
    require_own_folder(checkpoint, kCheckpointFiles);
  }
  directory.create();
  if (start.lock) return std::move(start.lock);
  RunLock lock(directory);
  directory.require_free();  // another process may have been faster
  directory.recover();
  return lock;
}

}  // namespace

RunLoop::RunLoop(const TrainingRun& run, TrainingObserver& observer, StartingPoint start)
    : run_(run),
      observer_(observer),
      directory_(run.training.output),
      train_(run.data, Split::kTrain, {.scales = start.network->scales()}),
      validation_(run.data,
                  Split::kVal,
                  {.scales = start.network->scales(), .depth = Presence::kIfPresent}),
      steps_per_epoch_(steps_per_epoch(train_, run)),
      state_(checked_state(start, directory_, train_, validation_, steps_per_epoch_)),
      trainer_(start.network, run.training, steps_per_epoch_),
      lock_(begun(run, start, trainer_)),
      kept_(directory_, run.training.checkpoint.keep),
      range_(std::move(start.range)) {
  trainer_.detect_anomalies(run.anomalies);
  trainer_.share_steps(run.processes);
  if (writes()) {
    records_.emplace(directory_.path(), run.training.tensorboard, state_.progress);
    kept_.forget_after(state_.progress.finished_steps);
  }
  observer_.on_start({.finished = state_.progress,
                      .epochs = total_epochs(run.training),
                      .steps_per_epoch = steps_per_epoch_,
                      .train_images = train_.size(),
                      .validation_images = validation_.size(),
                      .initial_weights = std::move(start.initial_weights),
                      .changes = std::move(start.changes)});
  // A kill between the two savings of an epoch's end has cost its best/.
  const bool at_best = state_.best && state_.best->epoch == state_.progress.finished_epochs &&
                       state_.epoch.steps == 0;
  if (at_best) save(directory_.best());
}

TrainingResult RunLoop::execute() {
  if (writes()) write_file_atomically(directory_.config(), run_.resolved_config);
  // An imported mean with an untrained factor is useful by itself.
  if (total_epochs(run_.training) == 0) save_last();
  TrainingResult result;
  while (result.end == RunEnd::kFinished &&
         trainer_.progress().finished_epochs < total_epochs(run_.training)) {
    if (run_epoch() == Continuation::kStop) result.end = RunEnd::kStopped;
  }
  result.finished = trainer_.progress();
  if (state_.best) {
    result.best_epoch = state_.best->epoch;
    result.best = state_.best->report;
  }
  return result;
}

Continuation RunLoop::run_epoch() {
  if (train_epoch() == Continuation::kStop) return Continuation::kStop;
  const Clock::time_point begin = Clock::now();
  EpochReport report = epoch_report();
  if (is_validated(report.epoch) && finish_validation(report) == Continuation::kStop) {
    return Continuation::kStop;
  }
  report.seconds += seconds_since(begin);
  finish_epoch(report);
  return Continuation::kGoOn;
}

Continuation RunLoop::finish_validation(EpochReport& report) {
  if (writes()) report.validation = validate_epoch(report);
  const bool stopped = writes() && !report.validation;
  if (agreed(stopped ? Continuation::kStop : Continuation::kGoOn) == Continuation::kStop) {
    return Continuation::kStop;
  }
  if (writes()) {
    if (report.validation->range) range_ = to_json(*report.validation->range);
    judge(report);
    record_pictures(report.stage);
  }
  return Continuation::kGoOn;
}

Continuation RunLoop::agreed(Continuation own) const {
  return run_.processes->largest(own == Continuation::kStop ? 1 : 0) == 1 ? Continuation::kStop
                                                                          : Continuation::kGoOn;
}

Continuation RunLoop::train_epoch() {
  LoaderOptions order =
      training_order(run_.training, *run_.processes, trainer_.progress().finished_epochs);
  order.first_batch = state_.epoch.steps;
  BatchLoader loader(train_, order);
  std::optional<DeviceBatches> on_device;
  if (run_.device.is_cuda()) {
    on_device.emplace([&loader] { return loader.next(); }, run_.device);
  }
  while (true) {
    const Clock::time_point begin = Clock::now();
    const std::optional<Batch> batch = on_device ? on_device->next() : loader.next();
    if (!batch) return Continuation::kGoOn;
    TrainedStep step;
    step.waiting_seconds = seconds_since(begin);
    const TrainingProgress before = trainer_.progress();
    step.report = trainer_.step(*batch);
    step.images = batch->image.size(0) * run_.processes->size();
    step.seconds = seconds_since(begin);
    if (records_) records_->write_step(step, before);
    if (finish_step(std::move(step)) == Continuation::kStop) return Continuation::kStop;
  }
}

Continuation RunLoop::finish_step(TrainedStep step) {
  state_.epoch.add(step.report);
  state_.epoch.seconds += step.seconds;
  state_.epoch.waiting_seconds += step.waiting_seconds;
  step.epoch = trainer_.progress().finished_epochs + 1;
  step.step = state_.epoch.steps;
  const std::int64_t every = run_.training.checkpoint.every;
  if (every > 0 && trainer_.progress().finished_steps % every == 0) save_last();
  if (agreed(observer_.on_step(step)) == Continuation::kGoOn) return Continuation::kGoOn;
  save_last();
  return Continuation::kStop;
}

EpochReport RunLoop::epoch_report() const {
  const EpochSums& sums = state_.epoch;
  const auto steps = static_cast<double>(sums.steps);
  EpochReport report;
  report.epoch = trainer_.progress().finished_epochs + 1;
  report.stage = stage_of(report.epoch - 1, run_.training);
  report.steps = sums.steps;
  report.seconds = sums.seconds;
  report.train_loss = sums.loss / steps;
  report.train_terms = sums.terms;
  for (double& term : report.train_terms) term /= steps;
  report.largest_gradient_norm = sums.largest_gradient_norm;
  report.residual_variance = sums.residual_variance / steps;
  report.level_variances = sums.level_variances;
  for (double& variance : report.level_variances) variance /= steps;
  const auto images = static_cast<double>(sums.steps * run_.training.batch_size);
  report.images_per_second = images / sums.seconds;
  report.waiting = sums.waiting_seconds / sums.seconds;
  return report;
}

bool RunLoop::is_validated(std::int64_t epoch) const {
  return epoch % run_.training.validation.every == 0 || epoch == total_epochs(run_.training);
}

std::optional<ValidationReport> RunLoop::validate_epoch(const EpochReport& report) {
  BatchLoader loader(validation_, {.batch_size = run_.training.batch_size});
  SupnNetwork network = trainer_.network();
  Continuation continuation = Continuation::kGoOn;
  ValidationReport validation = validate(
      network,
      [&] { return continuation == Continuation::kGoOn ? loader.next() : std::optional<Batch>(); },
      {.stage = report.stage,
       .samples = run_.training.validation.samples,
       .seed = run_.training.seed,
       .evaluation = run_.evaluation},
      [&](std::int64_t images) { continuation = observer_.on_validated(images); });
  if (continuation == Continuation::kGoOn) return validation;
  save_last();
  return std::nullopt;
}

void RunLoop::judge(EpochReport& report) {
  const ValidationReport& validation = *report.validation;
  for (const std::string& warning : warnings_of(report, run_)) observer_.on_warning(warning);
  const bool has_likelihood = report.stage != Stage::kWarmUp;
  if (!has_likelihood || !std::isfinite(validation.log_likelihood.front())) return;
  report.best = !state_.best || is_better(validation, state_.best->report);
  if (report.best) state_.best = BestEpoch{report.epoch, validation};
}

void RunLoop::record_pictures(Stage stage) {
  SupnNetwork network = trainer_.network();
  const std::int64_t images = std::min(records_->pictured_images(), validation_.size());
  for (std::int64_t i = 0; i < images; ++i) {
    const std::vector<Picture> pictures = pictures_of(
        network,
        validation_.example(i, Augmentation()),
        {.stage = stage, .samples = run_.training.validation.samples, .seed = run_.training.seed});
    records_->write_pictures(
        validation_.frame(i).id(), pictures, trainer_.progress().finished_steps);
  }
}

void RunLoop::finish_epoch(const EpochReport& report) {
  trainer_.finish_epoch();
  trainer_.resume_training_mode();
  state_.epoch = {};
  // The log comes first: lines of an epoch that is not in last/ are dropped when the run goes on.
  if (records_) records_->write_epoch(report, trainer_.progress().finished_steps);
  saved_steps_ = -1;  // the same step, but another epoch
  save_last();
  if (report.best) save(directory_.best());
  observer_.on_epoch(report);
}

RunState RunLoop::state() const {
  RunState state = state_;
  state.progress = trainer_.progress();
  return state;
}

void RunLoop::save(const std::filesystem::path& checkpoint) const {
  if (!writes()) return;
  save_checkpoint(checkpoint,
                  {.network = trainer_.network(),
                   .size = run_.data.size(),
                   .optimizer = trainer_.optimizer_state(),
                   .progress = to_json(state()),
                   .config = run_.resolved_config,
                   .range = range_});
}

void RunLoop::save_last() {
  const std::int64_t steps = trainer_.progress().finished_steps;
  if (!writes() || steps == saved_steps_) return;
  save(directory_.last());
  kept_.add(steps);
  saved_steps_ = steps;
}

}  // namespace supn
