#include "supn/evaluation/bootstrap.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "supn/evaluation/order_statistics.hpp"

namespace supn {

Interval bootstrap_interval(std::span<const double> values, const BootstrapOptions& options) {
  TORCH_CHECK(options.resamples > 0 && options.confidence > 0.0 && options.confidence < 1.0,
              "bootstrap_interval: expected resamples > 0 and a confidence in (0, 1)");
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (values.empty() || !finite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  // The engine's numbers are the same everywhere; the standard's distributions are not.
  std::mt19937_64 engine(options.seed);
  std::vector<double> means(static_cast<std::size_t>(options.resamples));
  for (double& mean : means) {
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[engine() % values.size()];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  const double tail = 0.5 * (1.0 - options.confidence);
  return {quantile_of_sorted(means, tail), quantile_of_sorted(means, 1.0 - tail)};
}

}  // namespace supn
