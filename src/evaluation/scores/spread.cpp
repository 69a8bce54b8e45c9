#include "supn/evaluation/scores/spread.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "supn/evaluation/scores/order_statistics.hpp"

namespace supn {

at::Tensor marginal_std(const at::Tensor& values) {
  TORCH_CHECK(values.dim() == 3 && values.size(0) >= 2,
              "marginal_std: expected [S,h,w] with S >= 2, got ",
              values.sizes());
  return values.to(at::kDouble).std(0, /*unbiased=*/true);
}

SpreadRatio spread_ratio(const at::Tensor& model_std, const at::Tensor& member_std) {
  TORCH_CHECK(model_std.sizes() == member_std.sizes() && model_std.numel() > 0,
              "spread_ratio: expected two maps of one size, got ",
              model_std.sizes(),
              " and ",
              member_std.sizes());
  const at::Tensor model = model_std.to(at::kCPU, at::kDouble).contiguous();
  const at::Tensor member = member_std.to(at::kCPU, at::kDouble).contiguous();
  const double* const numerator = model.const_data_ptr<double>();
  const double* const denominator = member.const_data_ptr<double>();
  std::vector<double> ratios(static_cast<std::size_t>(model.numel()));
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const bool agree = denominator[i] == 0.0 && !std::isnan(numerator[i]);
    ratios[i] = agree ? std::numeric_limits<double>::infinity() : numerator[i] / denominator[i];
    if (std::isnan(ratios[i])) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      return {nan, nan, nan};
    }
  }
  std::sort(ratios.begin(), ratios.end());
  return {.low = quantile_of_sorted(ratios, 0.05),
          .median = quantile_of_sorted(ratios, 0.5),
          .high = quantile_of_sorted(ratios, 0.95)};
}

bool is_plausible_spread(double median_ratio) {
  return median_ratio >= kMinPlausibleRatio && median_ratio <= kMaxPlausibleRatio;
}

}  // namespace supn
