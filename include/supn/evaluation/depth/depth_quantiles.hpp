// Quantiles of depth where logits are normal. A single depth falls as its logit rises, so its
// quantiles are those of the logit turned into depth, exactly. A difference of two depths has the
// distribution function
//
//   P(D₁ − D₂ ≤ t) = ∫ φ(z)·P(d₂ ≤ logit of (D₁(z) − t) | z) dz,    d₁ = μ₁ + σ₁z
//
// integrated adaptively and inverted by secants, to some 1e-6 of the spread: pixels that move
// together make the argument of Φ steep. Elementwise, float64; metres if and only if the scale is
// known.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "supn/evaluation/depth/depth_scale.hpp"

namespace supn {

// Returns z_p of a standard normal. Throws c10::Error unless 0 < p < 1.
double normal_quantile(double probability);

// Where other values of a logit than a normal's quantiles z_p are taken: x_p [Q,K], in standard
// deviations, as of tails.hpp.
struct Deviates {
  at::Tensor values;
};
// z_p [Q,1] of a normal.
Deviates normal_deviates(std::span<const double> probabilities);

// mean, variance [K] of the logits → [Q,K].
at::Tensor depth_quantiles(const at::Tensor& mean,
                           const at::Tensor& variance,
                           std::span<const double> probabilities,
                           double scale,
                           const DepthRange& range);
at::Tensor depth_quantiles(const at::Tensor& mean,
                           const at::Tensor& variance,
                           const Deviates& deviates,
                           double scale,
                           const DepthRange& range);

// Holds the numbers of pairs of logits, all [K].
struct LogitPairs {
  at::Tensor first_mean;
  at::Tensor second_mean;
  at::Tensor first_variance;
  at::Tensor second_variance;
  at::Tensor covariance;
};

// Returns quantiles [Q,K] of the first depth minus the second, exact for a pixel with itself and
// without variance; NaN where a pair's numbers are NaN.
at::Tensor depth_difference_quantiles(const LogitPairs& pairs,
                                      std::span<const double> probabilities,
                                      double scale,
                                      const DepthRange& range);
// Those at the probabilities Φ(x_p): each pair's depths are a normal's, taken where x_p lies.
at::Tensor depth_difference_quantiles(const LogitPairs& pairs,
                                      const Deviates& deviates,
                                      double scale,
                                      const DepthRange& range);

// Describes one depth, or the difference of a pair's depths.
struct DepthInterval {
  double low = 0.0;  // 5 %
  double median = 0.0;
  double high = 0.0;  // 95 %
};
DepthInterval depth_interval(double mean, double std, double scale, const DepthRange& range);
DepthInterval depth_difference_interval(const LogitPairs& pair,
                                        double scale,
                                        const DepthRange& range);

}  // namespace supn
