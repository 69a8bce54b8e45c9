// Do values fall where a Gaussian says they do? Of deviations z = (value − mean)/std, any shape,
// which are standard normal if it is right:
//
//   in p       share inside the central interval of probability p (coverage.hpp)
//   rms z      √mean z²: 1 if the std is right, above if it is too small
//   error      mean over p = 0.02, 0.04 … 0.98 of |share inside the interval of p − p|
//   PIT        Φ(z), uniform in [0, 1] if the Gaussian is right; U-shaped if it is too sure,
//              a hump if it is too careful, slanted if it is biased
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace supn {

inline constexpr int kCoverageSteps = 50;
inline constexpr int kPitBins = 20;

struct Calibration {
  double in_50 = 0.0;
  double in_90 = 0.0;
  double rms = 0.0;
  double error = 0.0;
};

// NaN where there are no deviations or one is NaN.
Calibration calibration(const at::Tensor& deviations);

// Share inside the central interval of probability k/50, k = 0 … 50.
std::array<double, kCoverageSteps + 1> coverage_curve(const at::Tensor& deviations);

// Returns the density of Φ(z) in 20 equal bins: 1 everywhere if the Gaussian is right.
std::array<double, kPitBins> pit_histogram(const at::Tensor& deviations);

}  // namespace supn
