#include "training/run/epoch_order.hpp"

#include <string>

#include "supn/errors.hpp"

namespace supn {

LoaderOptions training_order(const TrainingConfig& config,
                             const ProcessGroup& processes,
                             std::int64_t epoch) {
  return {.batch_size = config.batch_size,
          .order = Order::kShuffled,
          .last_batch = LastBatch::kDrop,
          .augment = Augment::kRandom,
          .seed = static_cast<std::uint64_t>(config.seed),
          .epoch = epoch,
          .shard = {processes.rank(), processes.size()}};
}

std::int64_t steps_per_epoch(const KittiDataset& train, const TrainingRun& run) {
  const TrainingConfig& config = run.training;
  if (config.batch_size % run.processes->size() != 0) {
    throw ConfigError("training.batch_size: " + std::to_string(config.batch_size) +
                      " images a step cannot be shared evenly by " +
                      std::to_string(run.processes->size()) +
                      " processes; make it a multiple of their number, or start fewer");
  }
  const std::int64_t steps =
      batches_per_epoch(train.size(), training_order(config, *run.processes, 0));
  if (steps == 0) {
    throw ConfigError("training.batch_size: " + std::to_string(config.batch_size) +
                      " does not fit the training split of " + std::to_string(train.size()) +
                      " images; lower it");
  }
  return steps;
}

}  // namespace supn
