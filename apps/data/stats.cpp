#include "data/stats.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iostream>
#include <numeric>

#include "common/progress.hpp"
#include "supn/data/statistics.hpp"

namespace supn {
namespace {

std::string disk_text(std::uintmax_t bytes) {
  constexpr double kMegabyte = 1e6;
  constexpr double kGigabyte = 1e9;
  const auto value = static_cast<double>(bytes);
  return value < kGigabyte ? fmt::format("{:.1f} MB", value / kMegabyte)
                           : fmt::format("{:.2f} GB", value / kGigabyte);
}

std::string depth_text(const SplitStatistics& statistics) {
  const auto& counts = statistics.depth_counts;
  const auto known =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::string text;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    const double low = bin == 0 ? 0.0 : kDepthBins[bin - 1];
    const std::string range = bin < kDepthBins.size()
                                  ? fmt::format("{:g}-{:g} m", low, kDepthBins[bin])
                                  : fmt::format("> {:g} m", low);
    text += fmt::format(
        "    {:<10} {:6.2f} %\n", range, 100.0 * static_cast<double>(counts[bin]) / known);
  }
  return text;
}

void print(std::string_view name, const SplitStatistics& statistics) {
  std::cout << fmt::format("{}: {} frames\n", name, statistics.frames);
  if (statistics.members > 0) {
    std::cout << fmt::format(
        "  members: {}; std of their logits {:.4f} at the median pixel (5-95 %: {:.4f}-{:.4f}), "
        "mean logit {:.3f}\n",
        statistics.members,
        statistics.spread_median,
        statistics.spread_low,
        statistics.spread_high,
        statistics.mean_logit);
  }
  std::cout << fmt::format(
      "  ground truth: {} of {} frames\n", statistics.depth_maps, statistics.frames);
  if (statistics.depth_maps > 0) std::cout << depth_text(statistics);
  std::cout << fmt::format("  disk: images {}, ground truth {}, members' maps {}\n",
                           disk_text(statistics.image_bytes),
                           disk_text(statistics.depth_bytes),
                           disk_text(statistics.sample_bytes));
}

}  // namespace

void declare_stats(CLI::App& options, StatsArguments& arguments) {
  declare_config_options(options, arguments.config);
  declare_splits_option(options, arguments.splits);
}

int data_statistics(const StatsArguments& arguments, const SharedOptions& shared) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  for (const Split split : configured_splits(config->data, arguments.splits)) {
    const std::vector<Frame> frames = read_split(config->data, split);
    Progress progress(std::string(option_name(split)), static_cast<std::int64_t>(frames.size()));
    const SplitStatistics statistics =
        split_statistics(config->data, split, shared.threads, [&] { progress.advance(); });
    progress.finish();
    print(option_name(split), statistics);
  }
  return 0;
}

}  // namespace supn
