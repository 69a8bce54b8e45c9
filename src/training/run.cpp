#include "supn/training/run.hpp"

#include <ATen/Context.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <utility>

#include "initial_weights.hpp"
#include "run_directory.hpp"
#include "supn/data/loader.hpp"
#include "supn/errors.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

using Clock = std::chrono::steady_clock;

LoaderOptions training_order(const TrainingConfig& config, std::int64_t epoch) {
  return {.batch_size = config.batch_size,
          .order = Order::kShuffled,
          .last_batch = LastBatch::kDrop,
          .augment = Augment::kRandom,
          .seed = static_cast<std::uint64_t>(config.seed),
          .epoch = epoch};
}

std::int64_t steps_per_epoch(const KittiDataset& train, const TrainingConfig& config) {
  const std::int64_t steps = batches_per_epoch(train.size(), training_order(config, 0));
  if (steps == 0) {
    throw ConfigError("training.batch_size: " + std::to_string(config.batch_size) +
                      " does not fit the training split of " + std::to_string(train.size()) +
                      " images; lower it");
  }
  return steps;
}

std::string spread_warning(std::int64_t epoch, const SpreadRatio& ratio) {
  std::ostringstream text;
  text << "epoch " << epoch << ": the samples " << (ratio.median < 1.0 ? "collapse" : "explode")
       << ": their std is " << ratio.median
       << " times the members' at the median pixel (5-95 %: " << ratio.low << " to " << ratio.high
       << "; plausible: 0.5 to 2), which the likelihood does not see. Use network.off_diagonal "
          "factored or twofold, training.losses.std_match or energy_match, or a lower "
          "training.optimizer.mean_factor";
  return text.str();
}

ExampleContents training_contents(std::int64_t scales) {
  return {.scales = scales, .depth = Presence::kUnused, .log_scale = Presence::kUnused};
}

ExampleContents validation_contents(std::int64_t scales) {
  return {.scales = scales, .depth = Presence::kIfPresent, .log_scale = Presence::kUnused};
}

// The network that the run starts with, and where it stands.
struct Start {
  SupnNetwork network{nullptr};
  RunState state;
  std::map<std::string, at::Tensor> optimizer;
  std::optional<WeightReport> initial_weights;
};

// The members' mean logit over the first images.
double member_level(const TrainingRun& run) {
  constexpr std::int64_t kEnoughImages = 8;
  const KittiDataset train(run.data, Split::kTrain, training_contents(1));
  const std::int64_t images = std::min(kEnoughImages, train.size());
  double sum = 0.0;
  for (std::int64_t i = 0; i < images; ++i) {
    sum += train.example(i, Augmentation()).predictions.front().mean().item<double>();
  }
  return sum / static_cast<double>(images);
}

Start fresh_start(const TrainingRun& run, const RunDirectory& directory) {
  directory.require_free();
  at::manual_seed(static_cast<std::uint64_t>(run.training.seed));
  Start start;
  start.network = SupnNetwork(run.network);
  if (!run.training.initial_weights.empty()) {
    start.initial_weights = load_initial_weights(*start.network, run.training.initial_weights);
  } else {
    set_mean_level(*start.network, member_level(run));
  }
  return start;
}

Start resumed_start(const TrainingRun& run,
                    const RunDirectory& directory,
                    TrainingObserver& observer) {
  directory.require_run();
  CheckpointParts parts = load_checkpoint(directory.last());
  if (parts.network->config() != run.network || parts.size != run.data.size()) {
    throw ConfigError(directory.last().string() +
                      ": was trained with another network or input size than the configuration "
                      "asks for; resume with the run's own config.yaml, or start another run");
  }
  if (parts.config != run.resolved_config) {
    observer.on_warning("the configuration differs from the one that " + directory.last().string() +
                        " was trained with: what follows is not what never stopping would give");
  }
  // The weights before this seeding are replaced by the checkpoint's.
  at::manual_seed(static_cast<std::uint64_t>(run.training.seed));
  Start start;
  start.network = parts.network;
  start.state = run_state_from_json(parts.progress, directory.last() / "progress.json");
  start.optimizer = std::move(parts.optimizer);
  return start;
}

// Trains epoch by epoch; what each needs is kept here and nowhere else.
class Run {
 public:
  Run(const TrainingRun& run, TrainingObserver& observer, Start start)
      : run_(run),
        observer_(observer),
        directory_(run.training.output),
        train_(run.data, Split::kTrain, training_contents(start.network->scales())),
        validation_(run.data, Split::kVal, validation_contents(start.network->scales())),
        trainer_(start.network, run.training, steps_per_epoch(train_, run.training)),
        best_(start.state.best),
        log_(open_log(directory_, start.state.progress.finished_epochs)) {
    trainer_.restore(start.state.progress, start.optimizer);
    observer_.on_start({.finished_epochs = start.state.progress.finished_epochs,
                        .epochs = total_epochs(run.training),
                        .steps_per_epoch = steps_per_epoch(train_, run.training),
                        .train_images = train_.size(),
                        .validation_images = validation_.size(),
                        .initial_weights = std::move(start.initial_weights)});
  }

  TrainingResult execute() {
    write_file_atomically(directory_.config(), run_.resolved_config);
    while (trainer_.progress().finished_epochs < total_epochs(run_.training)) run_epoch();
    TrainingResult result;
    result.finished_epochs = trainer_.progress().finished_epochs;
    if (best_) {
      result.best_epoch = best_->epoch;
      result.best = best_->report;
    }
    return result;
  }

 private:
  // Everything that can be wrong with the inputs has been found by now: before, nothing is written.
  static MetricsLog open_log(const RunDirectory& directory, std::int64_t finished_epochs) {
    directory.create();
    return {directory.metrics(), finished_epochs};
  }

  void run_epoch() {
    const Clock::time_point begin = Clock::now();
    EpochReport report = train_epoch();
    if (is_validated(report.epoch)) report.validation = validate_epoch(report);
    if (report.validation) judge(report);
    report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    trainer_.finish_epoch();
    trainer_.resume_training_mode();
    // The log first: lines of an epoch that is not in last/ are dropped when the run goes on.
    log_.write_epoch(report);
    if (report.best) save(directory_.best());
    save(directory_.last());
    observer_.on_epoch(report);
  }

  EpochReport train_epoch() {
    EpochReport report;
    report.epoch = trainer_.progress().finished_epochs + 1;
    report.stage = stage_of(report.epoch - 1, run_.training);
    BatchLoader loader(train_, training_order(run_.training, report.epoch - 1));
    while (const std::optional<Batch> batch = loader.next()) {
      const TrainingProgress before = trainer_.progress();
      const StepReport step = trainer_.step(*batch);
      log_.write_step(step, before);
      add(report, step);
      observer_.on_step(step, report.epoch, report.steps);
    }
    const auto steps = static_cast<double>(report.steps);
    report.train_loss /= steps;
    for (double& term : report.train_terms) term /= steps;
    return report;
  }

  static void add(EpochReport& report, const StepReport& step) {
    ++report.steps;
    report.train_loss += step.loss;
    report.train_terms.resize(step.terms.size(), 0.0);
    for (std::size_t i = 0; i < step.terms.size(); ++i) report.train_terms[i] += step.terms[i];
    report.largest_gradient_norm = std::max(report.largest_gradient_norm, step.gradient_norm);
  }

  bool is_validated(std::int64_t epoch) const {
    return epoch % run_.training.validation.every == 0 || epoch == total_epochs(run_.training);
  }

  ValidationReport validate_epoch(const EpochReport& report) {
    BatchLoader loader(validation_, {.batch_size = run_.training.batch_size});
    SupnNetwork network = trainer_.network();
    return validate(
        network,
        [&] { return loader.next(); },
        {.stage = report.stage,
         .samples = run_.training.validation.samples,
         .seed = run_.training.seed,
         .evaluation = run_.evaluation},
        [&](std::int64_t images) { observer_.on_validated(images); });
  }

  void judge(EpochReport& report) {
    const ValidationReport& validation = *report.validation;
    if (report.stage == Stage::kWarmUp) return;
    if (!std::isfinite(validation.log_likelihood.front())) {
      observer_.on_warning("epoch " + std::to_string(report.epoch) +
                           ": the validation likelihood is not finite");
      return;
    }
    if (validation.std_ratio && !is_plausible_spread(validation.std_ratio->median)) {
      observer_.on_warning(spread_warning(report.epoch, *validation.std_ratio));
    }
    report.best = !best_ || is_better(validation, best_->report);
    if (report.best) best_ = BestEpoch{report.epoch, validation};
  }

  void save(const std::filesystem::path& checkpoint) const {
    save_checkpoint(checkpoint,
                    {.network = trainer_.network(),
                     .size = run_.data.size(),
                     .optimizer = trainer_.optimizer_state(),
                     .progress = to_json({trainer_.progress(), best_}),
                     .config = run_.resolved_config});
  }

  const TrainingRun& run_;
  TrainingObserver& observer_;
  RunDirectory directory_;
  KittiDataset train_;
  KittiDataset validation_;
  Trainer trainer_;
  std::optional<BestEpoch> best_;
  MetricsLog log_;
};

}  // namespace

TrainingResult run_training(const TrainingRun& run, TrainingObserver& observer) {
  const RunDirectory directory(run.training.output);
  check_input_size(run.network.backbone, run.data.size());
  Start start = run.start == RunStart::kResume ? resumed_start(run, directory, observer)
                                               : fresh_start(run, directory);
  start.network->to(run.device);
  return Run(run, observer, std::move(start)).execute();
}

}  // namespace supn
