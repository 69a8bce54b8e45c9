// Statistics of a split say how much the members differ, how deep the scenes are and how much disk
// they take.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "supn/data/dataset.hpp"

namespace supn {

// Upper ends of the depth histogram's bins, metres; one more bin is beyond the last.
inline constexpr std::array<double, 9> kDepthBins = {
    1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0, 80.0, 120.0};

struct SplitStatistics {
  std::int64_t frames = 0;
  std::int64_t members = 0;  // S of the first frame's file; 0 without data.samples
  // These are taken over the pixels of the finest maps and averaged over the images: the unbiased
  // std over members, and their mean, in logits. They are 0 for fewer than two members.
  double spread_low = 0.0;  // 5 %
  double spread_median = 0.0;
  double spread_high = 0.0;  // 95 %
  double mean_logit = 0.0;
  // These count the maps of ground truth, and their known pixels in each of kDepthBins (metres) and
  // beyond.
  std::int64_t depth_maps = 0;
  std::array<std::int64_t, kDepthBins.size() + 1> depth_counts{};
  // Bytes on the disk.
  std::uintmax_t image_bytes = 0;
  std::uintmax_t depth_bytes = 0;
  std::uintmax_t sample_bytes = 0;  // of all scales and log-scales
};

// Reads the split's maps of the finest scale and its ground truth in `threads` threads. on_frame is
// called after each frame in this thread; what it throws ends the work. Throws IoError naming the
// first file that is missing or damaged, ConfigError if the split is not set.
SplitStatistics split_statistics(const DataConfig& config,
                                 Split split,
                                 std::int64_t threads,
                                 const std::function<void()>& on_frame);

}  // namespace supn
