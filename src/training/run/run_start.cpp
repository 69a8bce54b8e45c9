#include "training/run/run_start.hpp"

#include <ATen/Context.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "supn/errors.hpp"
#include "supn/network/checkpoint.hpp"
#include "training/run/initial_weights.hpp"

namespace supn {
namespace {

// The members' mean logit over the first images.
double member_level(const TrainingRun& run) {
  constexpr std::int64_t kEnoughImages = 8;
  const KittiDataset train(run.data, Split::kTrain, {.scales = 1});
  const std::int64_t images = std::min(kEnoughImages, train.size());
  double sum = 0.0;
  for (std::int64_t i = 0; i < images; ++i) {
    sum += train.example(i, Augmentation()).predictions.front().mean().item<double>();
  }
  return sum / static_cast<double>(images);
}

// Says how to go on all the same.
std::string remedy(const RunDirectory& directory) {
  return "resume with --config " + directory.config().string() +
         ", or start another run with --set training.output=DIR";
}

std::vector<OptionChange> accepted_changes(const TrainingRun& run,
                                           const RunDirectory& directory,
                                           const CheckpointParts& parts) {
  if (parts.config == run.resolved_config) return {};
  std::vector<OptionChange> changes;
  if (run.changes_since && !parts.config.empty()) {
    changes = run.changes_since(directory.last() / "config.yaml");
  } else {
    changes.push_back({"the configuration", "another text", "as given"});
  }
  const std::string refused = changes_text(changes, ChangeEffect::kCorrupts);
  if (refused.empty()) return changes;
  throw ConfigError("training.output: the run in " + directory.path().string() +
                    " cannot go on with this configuration: " + refused + "; " + remedy(directory));
}

void check_network(const TrainingRun& run,
                   const RunDirectory& directory,
                   const CheckpointParts& parts) {
  if (parts.network->config() == run.network && parts.size == run.data.size()) return;
  throw ConfigError(directory.last().string() +
                    ": was trained with another network or input size than the configuration "
                    "asks for; " +
                    remedy(directory));
}

void check_mark(const char* key,
                const std::optional<SplitMark>& stored,
                const std::optional<SplitMark>& now) {
  if (!stored || stored == now) return;
  throw ConfigError(std::string("data.") + key + ": lists other images than the run's (" +
                    std::to_string(stored->images) + " then, " + std::to_string(now->images) +
                    " now); resume with the list that the run began with, or start another run "
                    "with --set training.output=DIR");
}

}  // namespace

StartingPoint fresh_start(const TrainingRun& run, const RunDirectory& directory) {
  directory.require_free();
  at::manual_seed(static_cast<std::uint64_t>(run.training.seed));
  StartingPoint start;
  start.network = SupnNetwork(run.network);
  if (!run.training.initial_weights.empty()) {
    start.initial_weights = load_initial_weights(*start.network, run.training);
  } else {
    set_mean_level(*start.network, member_level(run));
  }
  return start;
}

StartingPoint resumed_start(const TrainingRun& run, const RunDirectory& directory) {
  directory.require_run();
  StartingPoint start;
  if (run.processes->is_first()) {
    start.lock.emplace(directory);
    directory.recover();
  }
  CheckpointParts parts = load_checkpoint(directory.last());
  start.changes = accepted_changes(run, directory, parts);
  check_network(run, directory, parts);
  // The weights before this seeding are replaced by the checkpoint's.
  at::manual_seed(static_cast<std::uint64_t>(run.training.seed));
  start.network = parts.network;
  start.state = run_state_from_json(parts.progress, directory.last() / "progress.json");
  start.optimizer = std::move(parts.optimizer);
  start.range = std::move(parts.range);
  return start;
}

void check_splits(const RunDirectory& directory,
                  const RunState& stored,
                  const RunState& now,
                  std::int64_t steps_per_epoch) {
  check_mark("train_split", stored.train, now.train);
  check_mark("val_split", stored.validation, now.validation);
  const TrainingProgress& progress = stored.progress;
  const std::int64_t begun = progress.finished_steps - progress.finished_epochs * steps_per_epoch;
  if (begun >= 0 && begun <= steps_per_epoch && begun == stored.epoch.steps) return;
  throw ConfigError("training.batch_size: " + std::to_string(progress.finished_steps) +
                    " steps in " + std::to_string(progress.finished_epochs) + " epochs, as " +
                    (directory.last() / "progress.json").string() + " says, do not fit epochs of " +
                    std::to_string(steps_per_epoch) +
                    "; resume with the batch size and the split that the run began with");
}

}  // namespace supn
