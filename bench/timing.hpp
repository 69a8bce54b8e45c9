// Ratios of times that hold on a machine that others use too.
//
// Both competitors of a pair are timed right after each other, in alternating order, so that a
// neighbour's load hits both; the ratio is taken within each pair, and its median and its 5 % and
// 95 % quantiles over the pairs are reported. With fewer than 20 pairs the quantiles are close to
// the extremes.
#pragma once

#include <cstdint>
#include <vector>

#include "clock.hpp"
#include "competitor.hpp"

namespace supn::bench {

struct Spread {
  double median = 0;
  double low = 0;   // 5 % quantile
  double high = 0;  // 95 % quantile
};

// Linear interpolation between order statistics. Throws c10::Error if there is no value.
Spread spread(std::vector<double> values);

struct PairedTimes {
  Spread ours;   // seconds per unit
  Spread peer;   // seconds per unit
  Spread ratio;  // peer over ours
  std::int64_t pairs = 0;
};

struct Budget {
  double seconds = 1;  // stops after this long, but for least_pairs
  std::int64_t least_pairs = 3;
  std::int64_t most_pairs = 101;
};

PairedTimes time_pairs(const Competitor& ours, const Competitor& peer, const Budget& budget);

// Seconds per unit of one competitor alone, for curves.
Spread time_alone(const Competitor& competitor, const Budget& budget);

// The fastest of one library's ways of doing the same, by short trials. Throws c10::Error if empty.
Competitor fastest(const std::vector<Competitor>& variants);

}  // namespace supn::bench
