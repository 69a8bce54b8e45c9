// The percentile bootstrap says how sure a mean over images is. Images are drawn with replacement;
// the interval holds the middle 95 % of the resamples' means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// The resamples of so many images, for many scores of them.
class Bootstrap {
 public:
  // Throws c10::Error unless resamples > 0 and 0 < confidence < 1.
  Bootstrap(std::size_t images, const BootstrapOptions& options);

  // A function of values, count and options alone. NaN for no values or one that is not finite.
  // Throws c10::Error for another number of values.
  Interval interval(std::span<const double> values) const;

  // Σ values / Σ weights of each resample, in their order. Throws c10::Error for other numbers of
  // them.
  std::vector<double> ratios(std::span<const double> values, std::span<const double> weights) const;

 private:
  std::size_t images_;
  BootstrapOptions options_;
  std::vector<std::uint32_t> drawn_;  // images, resample by resample
};

}  // namespace supn
