// Linear functionals of a dense prediction, f = aᵀd: its exact mean and variance under the joint
// Gaussian. The mean of a region, the difference of two pixels, the slope of a plane: independent
// pixels would get all of these wrong.
//
//   E f = aᵀμ      Cov(f, g) = aᵀΣb = (L⁻¹a)ᵀ(L⁻¹b)      Var f = ‖L⁻¹a‖²
//
// weights: [M,H,W], one functional each, the same for every image of the batch. One substitution a
// functional, (K+1)·N multiply-adds. Computed in float64 where the Gaussian lies, without a graph.
// Throw c10::Error if the weights are not [M > 0,H,W] of a floating-point dtype or not finite.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/image_size.hpp"

namespace supn {

// Returns the means [B,M].
at::Tensor functional_mean(const StructuredGaussian& gaussian, const at::Tensor& weights);

// Returns the variances [B,M].
at::Tensor functional_variance(const StructuredGaussian& gaussian, const at::Tensor& weights);

// Returns the covariances [B,M,M]; needs M·N words.
at::Tensor functional_covariance(const StructuredGaussian& gaussian, const at::Tensor& weights);

struct PixelBox {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
};

// Weights float64 [1,H,W] of the mean over a box. Throws c10::Error if the box is empty or leaves
// the image.
at::Tensor box_mean_weights(const ImageSize& size, const PixelBox& box);

// Returns weights [1,H,W] of d[first] − d[second], raster indices. Throws c10::Error if one is
// outside.
at::Tensor difference_weights(const ImageSize& size, std::int64_t first, std::int64_t second);

// Returns weights [2,H,W] of the slopes along x and y, per pixel, of the plane that fits the box
// best (least squares). Throws c10::Error if the box leaves the image or has a side of less than 2
// pixels.
at::Tensor plane_slope_weights(const ImageSize& size, const PixelBox& box);

}  // namespace supn
