#include "timing.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace supn::bench {
namespace {

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

double seconds_per_unit(const Competitor& competitor) {
  return competitor.seconds() / competitor.units;
}

}  // namespace

Spread spread(std::vector<double> values) {
  TORCH_CHECK(!values.empty(), "spread: no value");
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5), quantile(values, 0.05), quantile(values, 0.95)};
}

PairedTimes time_pairs(const Competitor& ours, const Competitor& peer, const Budget& budget) {
  std::vector<double> our_seconds;
  std::vector<double> peer_seconds;
  std::vector<double> ratios;
  const double start = now();
  while (static_cast<std::int64_t>(ratios.size()) < budget.least_pairs ||
         (static_cast<std::int64_t>(ratios.size()) < budget.most_pairs &&
          now() - start < budget.seconds)) {
    const bool peer_first = ratios.size() % 2 == 1;
    if (peer_first) peer_seconds.push_back(seconds_per_unit(peer));
    our_seconds.push_back(seconds_per_unit(ours));
    if (!peer_first) peer_seconds.push_back(seconds_per_unit(peer));
    ratios.push_back(peer_seconds.back() / our_seconds.back());
  }
  const auto pairs = static_cast<std::int64_t>(ratios.size());
  return {spread(our_seconds), spread(peer_seconds), spread(ratios), pairs};
}

Spread time_alone(const Competitor& competitor, const Budget& budget) {
  std::vector<double> seconds;
  const double start = now();
  while (static_cast<std::int64_t>(seconds.size()) < budget.least_pairs ||
         (static_cast<std::int64_t>(seconds.size()) < budget.most_pairs &&
          now() - start < budget.seconds)) {
    seconds.push_back(seconds_per_unit(competitor));
  }
  return spread(seconds);
}

Competitor fastest(const std::vector<Competitor>& variants) {
  TORCH_CHECK(!variants.empty(), "fastest: no variant");
  if (variants.size() == 1) return variants.front();
  std::vector<double> best(variants.size(), std::numeric_limits<double>::infinity());
  constexpr int kTrials = 3;
  constexpr double kLong = 0.5;  // seconds: one trial tells enough
  for (int trial = 0; trial < kTrials; ++trial) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const bool tried = std::isfinite(best[i]);
      if (tried && best[i] * variants[i].units > kLong) continue;
      best[i] = std::min(best[i], seconds_per_unit(variants[i]));
    }
  }
  const auto least = std::min_element(best.begin(), best.end());
  return variants[static_cast<std::size_t>(least - best.begin())];
}

}  // namespace supn::bench
