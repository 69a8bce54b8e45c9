#include "supn/data/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <vector>

#include "parallel_loop.hpp"
#include "sample_file.hpp"
#include "supn/data/frame_depth.hpp"

namespace supn {
namespace {

constexpr double kLowQuantile = 0.05;
constexpr double kHighQuantile = 0.95;

std::uintmax_t bytes_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  return error ? 0 : bytes;
}

double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(
      std::lround(part * static_cast<double>(sorted.size() - 1)))];
}

// Loops are plain: ATen would start threads of its own in every worker.
void add_maps(SplitStatistics& frame, const at::Tensor& maps) {
  const std::int64_t members = maps.size(0);
  const std::int64_t pixels = maps.size(1) * maps.size(2);
  const float* values = maps.const_data_ptr<float>();
  std::vector<double> spreads(static_cast<std::size_t>(pixels));
  double total = 0.0;
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    double mean = 0.0;
    double squares = 0.0;  // Welford's recurrence
    for (std::int64_t member = 0; member < members; ++member) {
      const double value = values[member * pixels + pixel];
      const double step = value - mean;
      mean += step / static_cast<double>(member + 1);
      squares += step * (value - mean);
    }
    total += mean;
    spreads[static_cast<std::size_t>(pixel)] =
        members < 2 ? 0.0 : std::sqrt(squares / static_cast<double>(members - 1));
  }
  std::sort(spreads.begin(), spreads.end());
  frame.members = members;
  frame.mean_logit = total / static_cast<double>(pixels);
  frame.spread_low = quantile(spreads, kLowQuantile);
  frame.spread_median = quantile(spreads, 0.5);
  frame.spread_high = quantile(spreads, kHighQuantile);
}

void add_depth(SplitStatistics& frame, const at::Tensor& depth_m) {
  frame.depth_maps = 1;
  const float* depth = depth_m.const_data_ptr<float>();
  for (std::int64_t i = 0; i < depth_m.numel(); ++i) {
    if (!(depth[i] > 0.0F)) continue;
    const auto* const bin =
        std::lower_bound(kDepthBins.begin(), kDepthBins.end(), static_cast<double>(depth[i]));
    ++frame.depth_counts[static_cast<std::size_t>(bin - kDepthBins.begin())];
  }
}

SplitStatistics statistics_of(const DataConfig& config, const Frame& frame) {
  SplitStatistics statistics;
  statistics.frames = 1;
  statistics.image_bytes = bytes_of(image_path(config.root, frame));
  if (const auto depth = depth_path(config.root, frame, config.depth_folders)) {
    add_depth(statistics, read_frame_depth(config, frame).contiguous());
    statistics.depth_bytes = bytes_of(*depth);
  }
  if (config.samples.empty()) return statistics;
  add_maps(statistics, read_sample_file(sample_path(config.samples, frame, 0), {0, config.size()}));
  constexpr std::int64_t kMostScales = 8;
  for (std::int64_t scale = 0; scale < kMostScales; ++scale) {
    statistics.sample_bytes += bytes_of(sample_path(config.samples, frame, scale));
  }
  statistics.sample_bytes += bytes_of(log_scale_path(config.samples, frame));
  return statistics;
}

void add(SplitStatistics& total, const SplitStatistics& frame) {
  total.frames += frame.frames;
  if (total.members == 0) total.members = frame.members;
  total.spread_low += frame.spread_low;
  total.spread_median += frame.spread_median;
  total.spread_high += frame.spread_high;
  total.mean_logit += frame.mean_logit;
  total.depth_maps += frame.depth_maps;
  for (std::size_t i = 0; i < total.depth_counts.size(); ++i) {
    total.depth_counts[i] += frame.depth_counts[i];
  }
  total.image_bytes += frame.image_bytes;
  total.depth_bytes += frame.depth_bytes;
  total.sample_bytes += frame.sample_bytes;
}

}  // namespace

SplitStatistics split_statistics(const DataConfig& config,
                                 Split split,
                                 std::int64_t threads,
                                 const std::function<void()>& on_frame) {
  const std::vector<Frame> frames = read_split(config, split);
  std::vector<SplitStatistics> parts(frames.size());
  ParallelLoop(static_cast<std::int64_t>(frames.size()), threads, [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    parts[i] = statistics_of(config, frames[i]);
  }).wait(on_frame);
  SplitStatistics total;
  for (const SplitStatistics& part : parts) add(total, part);
  const auto images = static_cast<double>(total.frames);
  total.spread_low /= images;
  total.spread_median /= images;
  total.spread_high /= images;
  total.mean_logit /= images;
  return total;
}

}  // namespace supn
