// Tails of what is left of an error once other values are known: many small errors and a few large
// ones, which no width of a Gaussian fits. Of a value whose std was s₀ and is s given the others, with
// ρ = s/s₀, z_p the quantile of a standard normal and x = (value − mean)/s a deviation:
//
//   x_p = κ·sinh(δz_p)/δ        κ = w + (1 − w)ρ,  δ = h(1 − ρ)
//
// Johnson's S_U (1949), symmetric: a Gaussian where nothing is known of the value (ρ = 1), the
// narrower in the middle and the heavier in the tails the more is. Its density:
//
//   log q(x) = −u²/2 − ½ log 2π − log κ − ½ log(1 + (δx/κ)²),    u = asinh(δx/κ)/δ
//
// Elementwise, float64.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

namespace supn {

struct Tails {
  double width = 1.0;   // w in (0, 1]
  double weight = 0.0;  // h ≥ 0; 1 and 0: a Gaussian's
};

// x_p for z_p [Q] and ρ [K]: [Q,K].
at::Tensor tail_quantiles(const Tails& tails, const at::Tensor& z, const at::Tensor& ratio);

// log q of deviations x [K].
at::Tensor tail_log_density(const Tails& tails, const at::Tensor& x, const at::Tensor& ratio);

// Of one image, or given one set of known points.
struct TailValues {
  at::Tensor deviations;  // x [K]
  at::Tensor ratios;      // ρ [K]
};

// The tails of the largest mean of the parts' mean log densities, by a pattern search. Throws c10::Error without values.
Tails fit_tails(std::span<const TailValues> parts);

}  // namespace supn
