#include "supn/evaluation/calibration/calibration.hpp"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include "supn/evaluation/calibration/coverage.hpp"

namespace supn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Counts of probabilities [n] in equal bins of [0, 1]; NaN everywhere if one is or there is none.
template <std::size_t kBins>
std::array<double, kBins> shares(const at::Tensor& probabilities) {
  std::array<double, kBins> result{};
  const at::Tensor flat = probabilities.to(at::kCPU, at::kDouble).contiguous();
  const double* const values = flat.const_data_ptr<double>();
  const std::int64_t count = flat.numel();
  const auto bins = static_cast<double>(kBins);
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(values[i])) {
      result.fill(kNan);
      return result;
    }
    const double bin = std::clamp(std::floor(values[i] * bins), 0.0, bins - 1.0);
    result[static_cast<std::size_t>(bin)] += 1.0;
  }
  for (double& share : result) share = count > 0 ? share / static_cast<double>(count) : kNan;
  return result;
}

}  // namespace

std::array<double, kCoverageSteps + 1> coverage_curve(const at::Tensor& deviations) {
  // |z| lies inside the interval of probability erf(|z|/√2) and of all larger ones.
  const auto inside =
      shares<kCoverageSteps>((deviations.to(at::kDouble).abs() / std::numbers::sqrt2).erf());
  std::array<double, kCoverageSteps + 1> curve{};
  for (std::size_t k = 0; k < inside.size(); ++k) curve[k + 1] = curve[k] + inside[k];
  return curve;
}

std::array<double, kPitBins> pit_histogram(const at::Tensor& deviations) {
  const at::Tensor scaled = deviations.to(at::kDouble) / std::numbers::sqrt2;
  auto density = shares<kPitBins>((scaled.erf() + 1.0) * 0.5);
  for (double& value : density) value *= kPitBins;
  return density;
}

Calibration calibration(const at::Tensor& deviations) {
  const at::Tensor z = deviations.to(at::kDouble);
  const double rms = std::sqrt(z.square().mean().item<double>());
  if (std::isnan(rms)) return {kNan, kNan, kNan, kNan};
  const auto curve = coverage_curve(z);
  double error = 0.0;
  for (int k = 1; k < kCoverageSteps; ++k) {
    error += std::abs(curve[static_cast<std::size_t>(k)] - static_cast<double>(k) / kCoverageSteps);
  }
  return {.in_50 = coverage(z, 0.5),
          .in_90 = coverage(z, 0.9),
          .rms = rms,
          .error = error / (kCoverageSteps - 1)};
}

}  // namespace supn
