// Is a Gaussian the distribution its data came from? If so z = Lᵀ(d − μ) is white: independent
// standard normals. Five statistics over all n = S·N values of an image, each scaled so that it is
// standard normal for large n if the Gaussian is right (±3 is doubtful, ±10 is wrong):
//
//   mean             z̄·√n                       bias of μ
//   variance         (Σz² − n)/√(2n)             too sure (> 0) or too careful (< 0)
//   kurtosis         (n·Σz⁴/(Σz²)² − 3)·√(n/24)  tails heavier (> 0) than a Gaussian's
//   autocorrelation  Σ z[p]·z[p + lag]/√pairs    structure that L has missed
//
// The variance of marginals alone would not see a wrong joint distribution; this does. n should be
// some thousands. float64, without a graph. Throws c10::Error if d does not fit.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

inline constexpr std::array<Offset, 4> kWhiteningLags{{{0, 1}, {1, -1}, {1, 0}, {1, 1}}};

struct WhiteningTest {
  at::Tensor mean;      // [B]
  at::Tensor variance;  // [B]
  at::Tensor kurtosis;  // [B]
  at::Tensor
      autocorrelation;  // [B,4], lags as in kWhiteningLags; 0 where an image has no such pair
};

// d [B,S,H,W], e.g. members of an ensemble that the Gaussian was not fitted to.
WhiteningTest whitening_test(const StructuredGaussian& gaussian, const at::Tensor& d);

}  // namespace supn
