// This ratio compares the spread of samples with that of the members they imitate. A likelihood
// does not see samples that explode; the ratio does: docs/method.md "Exploding samples".
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

inline constexpr double kMinPlausibleRatio = 0.5;
inline constexpr double kMaxPlausibleRatio = 2.0;

// The ratio is taken over the pixels of one image.
struct SpreadRatio {
  double low = 0.0;  // 5 %
  double median = 0.0;
  double high = 0.0;  // 95 %
};

// Returns the unbiased standard deviation over S of values [S,h,w]: [h,w], float64. Throws
// c10::Error for S < 2.
at::Tensor marginal_std(const at::Tensor& values);

// Returns quantiles over pixels of model_std / member_std, maps of one size. A pixel on which all
// members agree (std 0) counts as infinite. The quantiles are NaN where the model's std is. Throws
// c10::Error if sizes differ.
SpreadRatio spread_ratio(const at::Tensor& model_std, const at::Tensor& member_std);

// Tells whether a median ratio is within [0.5, 2]; outside, the samples have exploded or collapsed.
bool is_plausible_spread(double median_ratio);

}  // namespace supn
