#include "supn/evaluation/scores/order_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace supn {

// The arithmetic is NumPy's, operation by operation: thresholds of sparsification are compared with
// the values themselves, so that a last bit decides about a pixel.
double quantile_of_sorted(std::span<const double> ascending, double q) {
  TORCH_CHECK(!ascending.empty(), "quantile_of_sorted: expected at least one value, got none");
  TORCH_CHECK(q >= 0.0 && q <= 1.0, "quantile_of_sorted: expected q in [0, 1], got ", q);
  const double position = static_cast<double>(ascending.size() - 1) * q;
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double fraction = position - std::floor(position);
  const double low = ascending[below];
  const double high = ascending[above];
  if (fraction == 0.0 || low == high) return low;
  if (std::isinf(high)) return high;
  if (fraction < 0.5) return low + (high - low) * fraction;
  return high - (high - low) * (1.0 - fraction);
}

double median(const at::Tensor& values) {
  TORCH_CHECK(values.numel() > 0, "median: expected at least one value, got none");
  const at::Tensor contiguous = values.to(at::kCPU, at::kDouble).contiguous();
  const double* begin = contiguous.const_data_ptr<double>();
  std::vector<double> sorted(begin, begin + contiguous.numel());
  if (std::any_of(sorted.begin(), sorted.end(), [](double v) { return std::isnan(v); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  const double lower = *std::max_element(sorted.begin(), middle);
  return (lower + *middle) / 2.0;
}

}  // namespace supn
