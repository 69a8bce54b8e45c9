// These functions compute exact marginal variances, and the covariances of all pairs of pixels near
// each other, without ever forming Σ.
//
// A draw obeys x_n = e^−φ_n·ε_n − Σ_k a_k[n]·x[n + o_k], a_k = ψ_k·e^−φ: pixel n is a regression on
// later pixels, so for every pixel m later than n
//
//   Cov(x_n, x_m) = −Σ_k a_k[n]·Cov(x[n + o_k], x_m)
//   Var(x_n)      =  e^−2φ_n − Σ_k a_k[n]·Cov(x[n + o_k], x_n)
//
// In raster order only the dense covariance of the last r rows is needed to go one row up: a window
// that slides from the last row to the first. (r + ½)·2r(r+1)·W²·H multiply-adds (30·W²·H at r = 2)
// and 8·(r + 1)²·W² bytes. From coarse to fine a row of L⁻ᵀ has some thousand entries; covariances
// are inner products of such rows, found by sparse substitution for 16 pixels at a time, with 128
// bytes a pixel and thread.
//
// float64 throughout, whatever the Gaussian's dtype: smooth factors lose every digit in float32.
// Computed on the CPU, wherever the Gaussian lies: neither is work for a GPU, one a chain of rows,
// the other a walk over few of all pixels. Results are float64 where the Gaussian lies, without a
// graph; where the variance overflows it is infinite or NaN. See docs/method.md "Marginals and
// covariance".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns diag Σ [B,1,H,W].
at::Tensor marginal_variance(const StructuredGaussian& gaussian);

// Channel c of pixel n is the covariance (or correlation) of the pixels n and n + offsets[c]; 0
// where that lies outside the image. The offsets are those the precision couples: (0, 0 … 2r) and
// (1 … r, −2r … 2r), in this order, with r = 2 for a factor from coarse to fine; pairs the other
// way round follow by symmetry.
struct LocalCovariances {
  at::Tensor values;  // [B,C,H,W], C = 2r + 1 + r(4r + 1)
  std::vector<Offset> offsets;

  // Throws c10::Error if the offset is none of the above.
  std::int64_t channel(const Offset& offset) const;
};

LocalCovariances local_covariances(const StructuredGaussian& gaussian);

// Returns the same pairs' correlations: each covariance over the root of the product of both
// variances.
LocalCovariances local_correlations(const LocalCovariances& covariances);

}  // namespace supn
