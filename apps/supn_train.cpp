// supn_train distils an ensemble's samples into one network that predicts mean and sparse Cholesky
// factor. Everything is in the configuration; see include/supn/training/run.hpp for what it writes.
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "common/config_options.hpp"
#include "common/memory_reuse.hpp"
#include "common/run_app.hpp"
#include "supn/config/config_node.hpp"
#include "supn/data/split_overlap.hpp"
#include "supn/serialization/output_guard.hpp"
#include "supn/training/run.hpp"
#include "train/follower_report.hpp"
#include "train/own_device.hpp"
#include "train/report.hpp"
#include "train/resume_command.hpp"

namespace {

struct Arguments {
  supn::ConfigArguments config;
  bool resume = false;
  bool detect_anomaly = false;
};

// Checks the files that a run writes beside its checkpoints. A run that goes on may be told by its
// own config.yaml.
void check_output(const Arguments& arguments, const supn::Config& config) {
  if (arguments.resume) return;
  supn::OutputGuard guard;
  for (const auto& file : supn::config_files(arguments.config.file)) guard.reads(file);
  guard.reads(config.data.train_split);
  guard.reads(config.data.val_split);
  for (const char* name : {"config.yaml", "metrics.jsonl", "metrics.csv"}) {
    guard.check_file(config.training.output / name);
  }
}

int train(const Arguments& arguments,
          const supn::SharedOptions& shared,
          const supn::CommandLine& call) {
  const std::optional<supn::Config> config = supn::load_app_config(arguments.config);
  if (!config) return 0;
  check_output(arguments, *config);
  const supn::ProcessPlace place = supn::process_place();
  const c10::Device device = supn::own_device(shared.device, place);
  if (place.size > 1) {
    spdlog::info("process {} of {} waits for the other {} at {}:{}, five minutes at most",
                 place.rank,
                 place.size,
                 place.size - 1,
                 place.address,
                 place.port);
  }
  const auto processes = std::make_shared<const supn::ProcessGroup>(place);
  if (processes->is_first()) {
    for (const std::string& overlap : supn::split_overlaps(config->data)) {
      spdlog::warn("{}", overlap);
    }
  }
  std::unique_ptr<supn::TrainingObserver> report = std::make_unique<supn::TrainReport>();
  if (!processes->is_first()) report = std::make_unique<supn::FollowerReport>();
  const supn::TrainingResult result = supn::run_training(
      {.data = config->data,
       .network = config->network,
       .training = config->training,
       .evaluation = config->evaluation,
       .resolved_config = supn::to_yaml(*config),
       .changes_since =
           [&](const std::filesystem::path& file) {
             return supn::option_changes(supn::load_config(file, {}), *config);
           },
       .device = device,
       .start = arguments.resume ? supn::RunStart::kResume : supn::RunStart::kFresh,
       .anomalies = arguments.detect_anomaly ? supn::AnomalyDetection::kEveryStep
                                             : supn::AnomalyDetection::kAfterTheFact,
       .processes = processes},
      *report);
  if (result.end == supn::RunEnd::kStopped) {
    throw supn::Interrupted(
        "interrupted after step " + std::to_string(result.finished.finished_steps) +
        ", which is saved; go on with: " + supn::resume_command(call, place.size));
  }
  if (!processes->is_first()) return 0;
  if (result.finished.finished_epochs == 0) {
    spdlog::info(
        "no epochs are asked for (training.epochs, training.warm_up.epochs); the starting "
        "network is {}",
        (config->training.output / "last").string());
    return 0;
  }
  if (result.best_epoch == 0) {
    spdlog::warn("no epoch could be judged best; the last is {}",
                 (config->training.output / "last").string());
    return 0;
  }
  spdlog::info("best epoch {}: {}", result.best_epoch, (config->training.output / "best").string());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  supn::keep_freed_memory();
  Arguments arguments;
  const supn::CommandLine call{argc, argv};
  return supn::run_app(
      {.name = "supn_train",
       .summary = "Trains a SUPN network on an ensemble's samples.",
       .example = "supn_train --config configs/kitti.yaml --set training.output=runs/kitti\n"
                  "  torchrun --nproc-per-node 2 --no-python supn_train --config "
                  "configs/kitti.yaml"},
      call,
      [&](CLI::App& options) {
        supn::declare_config_options(options, arguments.config);
        options.add_flag("--resume", arguments.resume, "go on from <training.output>/last");
        options.add_flag("--detect-anomaly",
                         arguments.detect_anomaly,
                         "look at every operation of every step, and stop at the first value that "
                         "is not finite (slower)");
      },
      [&](const supn::SharedOptions& shared) { return train(arguments, shared, call); });
}
