// Runs the members of an ensemble over the splits and writes what they predict.
#include <spdlog/spdlog.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "common/memory_reuse.hpp"
#include "common/progress.hpp"
#include "common/run_app.hpp"
#include "common/split_options.hpp"
#include "supn/data/kitti.hpp"
#include "supn/ensemble/run_ensemble.hpp"

namespace supn {
namespace {

struct Arguments {
  ConfigArguments config;
  std::vector<std::string> splits = all_split_names();
};

void declare(CLI::App& options, Arguments& arguments) {
  declare_config_options(options, arguments.config);
  declare_splits_option(options, arguments.splits);
}

std::vector<Frame> read_frames(const DataConfig& data, const std::vector<std::string>& splits) {
  std::vector<Frame> frames;
  for (const Split split : configured_splits(data, splits)) {
    const std::vector<Frame> read = read_split(data, split);
    spdlog::info("split {}: {} images", option_name(split), read.size());
    frames.insert(frames.end(), read.begin(), read.end());
  }
  return frames;
}

int run(const Arguments& arguments, const SharedOptions& shared) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  const std::vector<Frame> frames = read_frames(config->data, arguments.splits);

  const auto start = std::chrono::steady_clock::now();
  Progress progress("ensemble", static_cast<std::int64_t>(frames.size()));
  const EnsembleReport report =
      run_ensemble(config->ensemble,
                   config->data,
                   frames,
                   shared.device,
                   {.on_images =
                        [&](ImageOutcome outcome, std::int64_t count) {
                          if (outcome == ImageOutcome::kKept) {
                            progress.skip(count);
                          } else {
                            progress.advance(count);
                          }
                        },
                    .on_warning = [](const std::string& message) { spdlog::warn("{}", message); }});
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
  supn::keep_freed_memory();
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
