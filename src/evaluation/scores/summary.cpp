#include "supn/evaluation/scores/summary.hpp"

#include <cmath>
#include <limits>

namespace supn {

Summary summarise(std::span<const double> values) {
  if (values.empty()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, 0};
  }
  const auto count = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / count), static_cast<std::int64_t>(values.size())};
}

}  // namespace supn
