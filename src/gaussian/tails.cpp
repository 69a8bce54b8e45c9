#include "supn/gaussian/tails.hpp"

#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supn {
namespace {

constexpr double kLeastWidth = 0.02;
// Below, sinh(δz)/δ is z to all digits; keeps the division defined.
constexpr double kLeastWeight = 1e-6;

struct Shape {
  at::Tensor width;   // κ
  at::Tensor weight;  // δ
};

Shape shape_of(const Tails& tails, const at::Tensor& ratio) {
  const at::Tensor rho = ratio.to(at::kDouble).clamp(0.0, 1.0);
  return {rho * (1.0 - tails.width) + tails.width,
          ((1.0 - rho) * tails.weight).clamp_min(kLeastWeight)};
}

double mean_log_density(std::span<const TailValues> parts, const Tails& tails) {
  double sum = 0.0;
  for (const TailValues& part : parts) {
    sum += tail_log_density(tails, part.deviations, part.ratios).mean().item<double>();
  }
  return sum / static_cast<double>(parts.size());
}

}  // namespace

at::Tensor tail_quantiles(const Tails& tails, const at::Tensor& z, const at::Tensor& ratio) {
  const Shape shape = shape_of(tails, ratio);
  return (z.to(at::kDouble).unsqueeze(1) * shape.weight).sinh() / shape.weight * shape.width;
}

at::Tensor tail_log_density(const Tails& tails, const at::Tensor& x, const at::Tensor& ratio) {
  const Shape shape = shape_of(tails, ratio);
  const at::Tensor y = x.to(at::kDouble) * shape.weight / shape.width;
  const at::Tensor u = y.asinh() / shape.weight;
  return u.square() * -0.5 - shape.width.log() - y.square().log1p() * 0.5 -
         0.5 * std::log(2.0 * std::numbers::pi);
}

Tails fit_tails(std::span<const TailValues> parts) {
  TORCH_CHECK(!parts.empty() &&
                  std::ranges::all_of(
                      parts, [](const TailValues& part) { return part.deviations.numel() > 0; }),
              "fit_tails: expected values, got none");
  Tails best{0.6, 0.8};
  double most = mean_log_density(parts, best);
  for (double step = 0.4; step > 1e-3;) {
    const Tails centre = best;
    for (const double dw : {-1.0, 0.0, 1.0}) {
      for (const double dh : {-1.0, 0.0, 1.0}) {
        const Tails candidate{std::clamp(centre.width + 0.5 * step * dw, kLeastWidth, 1.0),
                              std::max(centre.weight + step * dh, 0.0)};
        const double found = mean_log_density(parts, candidate);
        if (found <= most) continue;
        most = found;
        best = candidate;
      }
    }
    if (best.width == centre.width && best.weight == centre.weight) step /= 2.0;
  }
  return best;
}

}  // namespace supn
