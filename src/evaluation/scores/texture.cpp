#include "supn/evaluation/scores/texture.hpp"

#include <c10/util/Exception.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace supn {
namespace {

double sum_of(const at::Tensor& values) { return values.sum().item<double>(); }

at::Tensor shifted(const at::Tensor& map, std::int64_t axis, std::int64_t lag) {
  return map.narrow(axis, lag, map.size(axis) - lag);
}

at::Tensor unshifted(const at::Tensor& map, std::int64_t axis, std::int64_t lag) {
  return map.narrow(axis, 0, map.size(axis) - lag);
}

// x [S,h,w], map by map, so that memory stays small; axis 0 = down the columns, 1 = along the rows.
double correlation(const at::Tensor& x, std::int64_t axis, std::int64_t lag) {
  double products = 0.0;
  double later_squares = 0.0;
  double earlier_squares = 0.0;
  for (std::int64_t s = 0; s < x.size(0); ++s) {
    const at::Tensor later = shifted(x[s], axis, lag);
    const at::Tensor earlier = unshifted(x[s], axis, lag);
    products += sum_of(later * earlier);
    later_squares += sum_of(later.square());
    earlier_squares += sum_of(earlier.square());
  }
  return products / std::sqrt(later_squares * earlier_squares);
}

// Doubles the distance until the correlation is below 1/e, then halves the bracket.
double correlation_length(const at::Tensor& x, std::int64_t axis) {
  const double target = 1.0 / std::numbers::e;
  const std::int64_t longest = x.size(axis + 1) / 2;
  std::int64_t low = 0;
  double low_value = 1.0;
  std::int64_t high = 1;
  while (true) {
    if (high > longest) high = longest;
    if (high <= low) return static_cast<double>(longest);
    const double value = correlation(x, axis, high);
    if (std::isnan(value)) return value;
    if (value < target) break;
    low = high;
    low_value = value;
    high *= 2;
  }
  double high_value = correlation(x, axis, high);
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    const double value = correlation(x, axis, middle);
    (value < target ? high : low) = middle;
    (value < target ? high_value : low_value) = value;
  }
  return static_cast<double>(low) + (low_value - target) / (low_value - high_value);
}

double roughness(const at::Tensor& x, double squares) {
  double sum = 0.0;
  std::int64_t pairs = 0;
  for (std::int64_t s = 0; s < x.size(0); ++s) {
    for (const std::int64_t axis : {0, 1}) {
      const at::Tensor difference = shifted(x[s], axis, 1) - unshifted(x[s], axis, 1);
      sum += sum_of(difference.square());
      pairs += difference.numel();
    }
  }
  const double variance = squares / static_cast<double>(x.numel());
  return std::sqrt(sum / static_cast<double>(pairs) / variance);
}

}  // namespace

Texture texture(const at::Tensor& values) {
  TORCH_CHECK(values.dim() == 3 && values.size(0) >= 2,
              "texture: expected [S,h,w] with S >= 2, got ",
              values.sizes());
  const at::Tensor all = values.to(at::kDouble);
  const at::Tensor x = all - all.mean(0, /*keepdim=*/true);
  const double squares = sum_of(x.square());
  if (!std::isfinite(squares) || squares == 0.0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan};
  }
  return {.roughness = roughness(x, squares),
          .length_rows = correlation_length(x, 1),
          .length_columns = correlation_length(x, 0)};
}

}  // namespace supn
