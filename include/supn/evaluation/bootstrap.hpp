// How sure a mean over images is: the percentile bootstrap. Images are drawn with replacement; the
// interval holds the middle 95 % of the resamples' means.
#pragma once

#include <cstdint>
#include <span>

namespace supn {

struct BootstrapOptions {
  std::int64_t resamples = 2000;
  double confidence = 0.95;
  std::uint64_t seed = 0;
};

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

// A function of the values and options alone. NaN for no values or one that is not finite. Throws
// c10::Error unless resamples > 0 and 0 < confidence < 1.
Interval bootstrap_interval(std::span<const double> values, const BootstrapOptions& options);

}  // namespace supn
