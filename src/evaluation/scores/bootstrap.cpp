#include "supn/evaluation/scores/bootstrap.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "supn/evaluation/scores/order_statistics.hpp"

namespace supn {

Bootstrap::Bootstrap(std::size_t images, const BootstrapOptions& options)
    : images_(images), options_(options) {
  TORCH_CHECK(options.resamples > 0 && options.confidence > 0.0 && options.confidence < 1.0,
              "Bootstrap: expected resamples > 0 and a confidence in (0, 1)");
  // The engine's numbers are the same everywhere; the standard's distributions are not.
  std::mt19937_64 engine(options.seed);
  drawn_.resize(static_cast<std::size_t>(options.resamples) * images);
  for (std::uint32_t& image : drawn_) image = static_cast<std::uint32_t>(engine() % images);
}

std::vector<double> Bootstrap::ratios(std::span<const double> values,
                                      std::span<const double> weights) const {
  TORCH_CHECK(values.size() == images_ && weights.size() == images_,
              "Bootstrap: expected ",
              images_,
              " values, got ",
              values.size(),
              " and weights ",
              weights.size());
  std::vector<double> ratios(static_cast<std::size_t>(options_.resamples));
  auto image = drawn_.begin();
  for (double& ratio : ratios) {
    double sum = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < images_; ++i, ++image) {
      sum += values[*image];
      total += weights[*image];
    }
    ratio = sum / total;
  }
  return ratios;
}

Interval Bootstrap::interval(std::span<const double> values) const {
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  std::vector<double> means = ratios(values, std::vector<double>(values.size(), 1.0));
  if (values.empty() || !finite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  std::sort(means.begin(), means.end());
  const double tail = 0.5 * (1.0 - options_.confidence);
  return {quantile_of_sorted(means, tail), quantile_of_sorted(means, 1.0 - tail)};
}

}  // namespace supn
