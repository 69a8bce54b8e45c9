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

Bootstrap::Bootstrap(std::size_t images, const BootstrapOptions& options)
    : images_(images), options_(options) {
  TORCH_CHECK(options.resamples > 0 && options.confidence > 0.0 && options.confidence < 1.0,
              "Bootstrap: expected resamples > 0 and a confidence in (0, 1)");
  // The engine's numbers are the same everywhere; the standard's distributions are not.
  std::mt19937_64 engine(options.seed);
  drawn_.resize(static_cast<std::size_t>(options.resamples) * images);
  for (std::uint32_t& image : drawn_) image = static_cast<std::uint32_t>(engine() % images);
}

Interval Bootstrap::interval(std::span<const double> values) const {
  TORCH_CHECK(values.size() == images_,
              "Bootstrap::interval: expected ",
              images_,
              " values, got ",
              values.size());
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (values.empty() || !finite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  std::vector<double> means(static_cast<std::size_t>(options_.resamples));
  auto image = drawn_.begin();
  for (double& mean : means) {
    double sum = 0.0;
    for (std::size_t i = 0; i < images_; ++i) sum += values[*image++];
    mean = sum / static_cast<double>(images_);
  }
  std::sort(means.begin(), means.end());
  const double tail = 0.5 * (1.0 - options_.confidence);
  return {quantile_of_sorted(means, tail), quantile_of_sorted(means, 1.0 - tail)};
}

}  // namespace supn
