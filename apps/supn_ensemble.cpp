// Runs the members of an ensemble over the splits and writes what they predict.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "common/progress.hpp"
#include "common/run_app.hpp"
#include "supn/data/kitti.hpp"
#include "supn/ensemble/run_ensemble.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

struct Arguments {
  ConfigArguments config;
  std::vector<std::string> splits = {"train", "val", "test", "sequence"};
};

void declare(CLI::App& options, Arguments& arguments) {
  declare_config_options(options, arguments.config);
  options
      .add_option(
          "--split",
          arguments.splits,
          "train, val, test, sequence; may be repeated. Without it: all that are configured")
      ->take_all()
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"train", "val", "test", "sequence"}));
}

std::vector<Frame> read_frames(const DataConfig& data, const std::vector<std::string>& splits) {
  std::vector<Frame> frames;
  for (const auto& [name, split] : OptionNames<Split>::values) {
    if (std::find(splits.begin(), splits.end(), name) == splits.end()) continue;
    const std::filesystem::path& file = split_file(data, split);
    if (file.empty()) {
      spdlog::info("split {}: none (data.{}_split is not set)", name, name);
      continue;
    }
    const std::vector<Frame> read = read_split(file);
    spdlog::info("split {}: {} images", name, read.size());
    frames.insert(frames.end(), read.begin(), read.end());
  }
  if (frames.empty()) {
    throw ConfigError(
        "data: no split to run over; set data.train_split, val_split, test_split or "
        "sequence_split");
  }
  return frames;
}

int run(const Arguments& arguments, const SharedOptions& shared) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  const std::vector<Frame> frames = read_frames(config->data, arguments.splits);

  const auto start = std::chrono::steady_clock::now();
  Progress progress("ensemble", static_cast<std::int64_t>(frames.size()));
  const EnsembleReport report = run_ensemble(config->ensemble,
                                             config->data,
                                             frames,
                                             shared.device,
                                             [&](ImageOutcome outcome, std::int64_t count) {
                                               if (outcome == ImageOutcome::kKept) {
                                                 progress.skip(count);
                                               } else {
                                                 progress.advance(count);
                                               }
                                             });
  progress.skip(static_cast<std::int64_t>(frames.size()) - report.written - report.kept);
  progress.finish();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  spdlog::info("{} images written ({:.2f}/s), {} kept, to {}",
               report.written,
               static_cast<double>(report.written) / seconds,
               report.kept,
               config->data.samples.string());
  if (report.clamped > 0) {
    spdlog::warn("{} of {} values were saturated and clamped (ensemble.saturation)",
                 report.clamped,
                 report.values);
  }
  return 0;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::Arguments arguments;
  return supn::run_app(
      {.name = "supn_ensemble",
       .summary = "Runs an ensemble's members over the images of the splits and "
                  "writes their logits, one file per image and scale. Interrupted "
                  "runs go on where they were.",
       .example = "supn_ensemble --config configs/kitti.yaml --set data.root=kitti "
                  "--set data.samples=samples --set ensemble.members=[a.ts,b.ts]"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare(options, arguments); },
      [&](const supn::SharedOptions& shared) { return supn::run(arguments, shared); });
}
