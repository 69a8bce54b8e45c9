// Rows of the covariance Σ = (L Lᵀ)⁻¹: how chosen pixels vary together with every pixel.
//
//   column i:     Σ e_i = L⁻ᵀ(L⁻¹ e_i)
//   correlation:  ρ_in = Σ_in / √(Σ_ii Σ_nn)
//
// pixels: int64 [M] of raster indices n = y·W + x, the same for every image of the batch; repeated
// ones are repeated in the result. Results are float64 where the Gaussian lies, without a graph. A
// column costs two substitutions (2(K+1)·N multiply-adds); correlations also need the exact
// marginal variances (marginal.hpp). Throw c10::Error if pixels is not int64 [M > 0] or one lies
// outside the image. See docs/method.md "Marginals and covariance".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns Σ_{i,·} [B,M,H,W], units of the prediction squared.
at::Tensor covariance_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels);

// Returns ρ_{i,·} [B,M,H,W] in [−1, 1], exactly 1 at the pixel itself.
at::Tensor correlation_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels);

// Columns that are kept for the next call, where pixels are asked for again: observations that
// come, go and change one by one (ConditioningOptions::columns). 8·N bytes a column. Not for use by
// several threads at once.
class CovarianceColumns {
 public:
  // Throws c10::Error if the Gaussian is not one image (use image(b)) or the capacity is not
  // positive.
  CovarianceColumns(const StructuredGaussian& gaussian, std::int64_t capacity);

  std::int64_t capacity() const { return capacity_; }
  // Tells whether these are columns of this Gaussian's very tensors.
  bool are_of(const StructuredGaussian& gaussian) const;

  // The row of all() for each pixel, raster indices that may repeat. Computes those that are
  // missing; forgets others where the capacity, or twice what is asked for and some, would be
  // exceeded. Throws c10::Error for a pixel outside, or more pixels than the capacity.
  std::vector<std::int64_t> rows_of(const std::vector<std::int64_t>& pixels);
  // Σ_{i,·} float64 [n,N] of the n pixels that are kept.
  at::Tensor all() const;

 private:
  void keep_only(const std::vector<std::int64_t>& pixels);
  void add(const std::vector<std::int64_t>& pixels);
  void reserve(std::int64_t columns);

  StructuredGaussian given_;
  StructuredGaussian exact_;  // in float64
  std::int64_t capacity_;
  at::Tensor columns_;  // [allocated,N]
  std::unordered_map<std::int64_t, std::int64_t> rows_;
};

}  // namespace supn
