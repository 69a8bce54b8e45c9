#include "clock.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

namespace supn::bench {
namespace {

constexpr double kShort = 0.05;       // seconds: work below is warmed up
constexpr double kTimedSpan = 0.005;  // seconds that the timed runs should last

double run_seconds(const std::function<void()>& work, std::int64_t repeats) {
  const double start = now();
  for (std::int64_t i = 0; i < repeats; ++i) work();
  return (now() - start) / static_cast<double>(repeats);
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::function<double()> clocked(std::function<void()> work) {
  return [work = std::move(work), known = std::numeric_limits<double>::infinity()]() mutable {
    if (known > kShort) {
      const double first = run_seconds(work, 1);
      known = std::min(known, first);
      if (first > kShort) return first;
    } else {
      work();
    }
    const double repeats = std::clamp(std::ceil(kTimedSpan / std::max(known, 1e-9)), 1.0, 1000.0);
    const double seconds = run_seconds(work, static_cast<std::int64_t>(repeats));
    known = std::min(known, seconds);
    return seconds;
  };
}

}  // namespace supn::bench
