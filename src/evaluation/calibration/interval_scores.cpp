#include "supn/evaluation/calibration/interval_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>

#include <limits>
#include <vector>

namespace supn {

IntervalScores interval_scores(const at::Tensor& quantiles,
                               const at::Tensor& truth,
                               const at::Tensor& depth) {
  constexpr std::int64_t kLow90 = 0;
  constexpr std::int64_t kLow50 = 4;
  constexpr std::int64_t kHigh50 = 14;
  constexpr std::int64_t kHigh90 = 18;
  constexpr double kOutside = 20.0;  // 2/(1 − 0.9)
  constexpr double kStep = 0.05;
  TORCH_CHECK(quantiles.dim() == 2 && quantiles.size(0) == std::ssize(kQuantileProbabilities) &&
                  truth.dim() == 1 && truth.size(0) == quantiles.size(1) &&
                  depth.sizes() == truth.sizes(),
              "interval_scores: expected quantiles [19,K] and truth and depth [K], got ",
              quantiles.sizes(),
              ", ",
              truth.sizes(),
              " and ",
              depth.sizes());
  if (truth.size(0) == 0 || !quantiles.isfinite().all().item<bool>()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan, nan, nan};
  }
  const auto inside = [&](std::int64_t low, std::int64_t high) {
    return truth.ge(quantiles[low]).logical_and(truth.le(quantiles[high]));
  };
  const auto mean = [](const at::Tensor& values) { return values.mean().item<double>(); };
  const at::Tensor width = quantiles[kHigh90] - quantiles[kLow90];
  const at::Tensor outside =
      (quantiles[kLow90] - truth).maximum(truth - quantiles[kHigh90]).clamp_min(0.0);
  std::vector<double> probabilities(kQuantileProbabilities.begin(), kQuantileProbabilities.end());
  const at::Tensor p =
      at::from_blob(probabilities.data(), {std::ssize(probabilities), 1}, at::kDouble);
  const at::Tensor pinball = (quantiles.ge(truth).to(at::kDouble) - p) * (quantiles - truth);
  return {.in_50 = mean(inside(kLow50, kHigh50).to(at::kDouble)),
          .in_90 = mean(inside(kLow90, kHigh90).to(at::kDouble)),
          .width = mean(width / depth),
          .crps = 2.0 * kStep * mean((pinball / depth).sum(0)),
          .score = mean((width + outside * kOutside) / depth)};
}

}  // namespace supn
