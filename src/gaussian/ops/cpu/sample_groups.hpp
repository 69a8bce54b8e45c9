// The samples of an image are shared out in lanes where they are many, one by one where they are
// few. No result depends on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace supn {

// Groups are 8, 16 or 32 lanes wide.
inline constexpr std::int64_t kFewestLanes = 8;
template <typename T>
inline constexpr std::int64_t kMostLanes = 128 / static_cast<std::int64_t>(sizeof(T));

// A group of 8 lanes takes as long as this many samples one by one.
inline constexpr std::int64_t kFewestInLanes = 5;

// Samples first … first + count − 1 of an image; lanes = 1 for a sample alone.
struct SampleGroup {
  std::int64_t first;
  std::int64_t count;
  std::int64_t lanes;
};

struct SampleLoad {
  std::int64_t images;
  std::int64_t samples;
  std::int64_t threads;
};

// Returns the groups of one image, all images having the same.
template <typename T>
std::vector<SampleGroup> sample_groups(const SampleLoad& load) {
  std::int64_t widest = kMostLanes<T>;
  while (widest > kFewestLanes &&
         load.images * ((load.samples + widest - 1) / widest) < load.threads) {
    widest /= 2;
  }
  std::vector<SampleGroup> groups;
  for (std::int64_t first = 0; first < load.samples;) {
    const std::int64_t rest = load.samples - first;
    std::int64_t lanes = widest;
    while (lanes > kFewestLanes && lanes / 2 >= rest) lanes /= 2;
    if (rest < kFewestInLanes) lanes = 1;
    groups.push_back({first, std::min(lanes, rest), lanes});
    first += groups.back().count;
  }
  return groups;
}

}  // namespace supn
