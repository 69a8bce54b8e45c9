// How the samples of an image are shared out: tiles of lanes for many, one by one for a few. No
// result depends on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gaussian/kernels/tile_kernels.hpp"

namespace supn {

// A tile of 8 lanes takes as long as this many samples one by one.
inline constexpr std::int64_t kFewestInTile = 5;

// Samples first … first + count − 1 of an image; lanes = 1 for a sample alone.
struct SampleGroup {
  std::int64_t first;
  std::int64_t count;
  std::int64_t lanes;

  // Lanes without a sample repeat the last one's work.
  std::int64_t sample_of(std::int64_t lane) const { return std::min(lane, count - 1); }
};

struct SampleLoad {
  std::int64_t images;
  std::int64_t samples;
  std::int64_t threads;
};

// The groups of one image, all images having the same.
template <typename T>
std::vector<SampleGroup> sample_groups(const SampleLoad& load) {
  std::int64_t widest = tile::kMostLanes<T>;
  while (widest > tile::kFewestLanes &&
         load.images * ((load.samples + widest - 1) / widest) < load.threads) {
    widest /= 2;
  }
  std::vector<SampleGroup> groups;
  for (std::int64_t first = 0; first < load.samples;) {
    const std::int64_t rest = load.samples - first;
    std::int64_t lanes = widest;
    while (lanes > tile::kFewestLanes && lanes / 2 >= rest) lanes /= 2;
    if (rest < kFewestInTile) lanes = 1;
    groups.push_back({first, std::min(lanes, rest), lanes});
    first += groups.back().count;
  }
  return groups;
}

}  // namespace supn
