#include "supn/evaluation/calibration/coverage.hpp"

#include <c10/util/Exception.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace supn {

double central_interval(double probability) {
  TORCH_CHECK(probability > 0.0 && probability < 1.0,
              "central_interval: expected a probability in (0, 1), got ",
              probability);
  // Bisection: erf grows steadily, and 60 halvings leave no more than rounding.
  double low = 0.0;
  double high = 40.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (std::erf(middle / std::numbers::sqrt2) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double coverage(const at::Tensor& deviations, double probability) {
  const double limit = central_interval(probability);
  if (deviations.numel() == 0) return std::numeric_limits<double>::quiet_NaN();
  return deviations.abs().le(limit).to(at::kDouble).mean().item<double>();
}

}  // namespace supn
