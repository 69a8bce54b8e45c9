// Rows of the covariance Σ = (L Lᵀ)⁻¹: how chosen pixels vary together with every pixel.
//
//   column i:     Σ e_i = L⁻ᵀ(L⁻¹ e_i)
//   correlation:  ρ_in = Σ_in / √(Σ_ii Σ_nn)
//
// pixels: int64 [M] of raster indices n = y·W + x, the same for every image of the batch; repeated
// ones are repeated in the result. Results are float64 where the Gaussian lies, without a graph. A
// column costs two substitutions (2(K+1)·N multiply-adds); correlations also need the exact marginal
// variances (marginal.hpp). Throw c10::Error if pixels is not int64 [M > 0] or one lies outside the image.
// See docs/method.md "Marginals and covariance".
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Σ_{i,·} [B,M,H,W], units of the prediction squared.
at::Tensor covariance_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels);

// ρ_{i,·} [B,M,H,W] in [−1, 1], exactly 1 at the pixel itself.
at::Tensor correlation_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels);

}  // namespace supn
