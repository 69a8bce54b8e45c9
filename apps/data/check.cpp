#include "data/check.hpp"

#include <iostream>

#include "common/progress.hpp"
#include "supn/data/check.hpp"
#include "supn/data/split_overlap.hpp"

namespace supn {
namespace {

// Prints what was found; returns the number of faults.
std::size_t check_one(const DataConfig& data, Split split, CheckOptions options) {
  options.contents = {.scales = data.samples.empty() ? 0 : 1,
                      .depth = Presence::kIfPresent,
                      .log_scale = Presence::kIfPresent};
  const std::string name(option_name(split));
  const auto frames = static_cast<std::int64_t>(read_split(data, split).size());
  Progress progress(name, frames);
  const CheckReport report = check_split(data, split, options, [&] { progress.advance(); });
  progress.finish();
  for (const DataFault& fault : report.faults) {
    std::cout << fault.path.string() << ": " << fault.message << "; " << fault.remedy << '\n';
  }
  std::cout << name << ": " << report.frames << " frames; without fault: " << report.images
            << " images, " << report.depth_maps << " depth maps, " << report.sample_files
            << " sample files; " << report.faults.size() << " faults\n";
  return report.faults.size();
}

}  // namespace

void declare_check(CLI::App& options, CheckArguments& arguments) {
  declare_config_options(options, arguments.config);
  declare_splits_option(options, arguments.splits);
  options.add_flag("--quick",
                   arguments.quick,
                   "look at the files' headers and lengths only, not at every value");
}

int check_data(const CheckArguments& arguments, const SharedOptions& shared) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  for (const std::string& overlap : split_overlaps(config->data)) {
    std::cout << "note: " << overlap << '\n';
  }
  std::size_t faults = 0;
  for (const Split split : configured_splits(config->data, arguments.splits)) {
    faults += check_one(config->data,
                        split,
                        {.depth = arguments.quick ? CheckDepth::kHeaders : CheckDepth::kValues,
                         .threads = shared.threads});
  }
  return faults == 0 ? 0 : 1;
}

}  // namespace supn
