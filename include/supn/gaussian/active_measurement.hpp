// Active measurement finds the pixels that, measured one after the other, most reduce the sum of
// the marginal variances over the image or a region T. Measuring pixel i with noise variance R
// reduces it by
//
//   Σ_{n∈T} Σ_in² / (Σ_ii + R) = (Σ D_T Σ)_ii / (Σ_ii + R),    D_T = 1 on T, else 0
//
// and updates Σ by the same rank-one step. Values are not needed: a Gaussian's posterior covariance
// does not depend on them. Greedy choice; each single step is exact and the best of its candidates.
// Four substitutions a candidate once, then C² a step; 16·C² bytes. One exact marginal variance.
// float64 on the CPU, without a graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct MeasurementPlan {
  std::int64_t count = 1;       // pixels to choose
  double noise_variance = 0.0;  // R of every measurement, also of those already made
  at::Tensor candidates = {};   // int64 [C]; undefined: a regular grid of at most grid_pixels
  at::Tensor region = {};       // bool [H,W], T; undefined: the whole image
  at::Tensor measured = {};     // int64 [P], pixels known already; undefined: none
  std::int64_t grid_pixels = 1024;
  at::Tensor variance = {};  // marginal_variance of the Gaussian, where it is at hand
  // Called some times a second; what it throws gives the plan up.
  std::function<void()> check = {};
};

struct ActiveMeasurement {
  at::Tensor pixels;          // int64 [k], in the order of choice; k < count if nothing is left to
                              // reduce
  at::Tensor total_variance;  // [k + 1] over the region: before, and after each choice
};

// Throws c10::Error if the Gaussian is not one image (use image(b)), count is negative, grid_pixels
// not positive, the noise variance negative or not finite, a pixel is outside, or the region has
// another size or is empty.
ActiveMeasurement plan_measurements(const StructuredGaussian& gaussian,
                                    const MeasurementPlan& plan);

}  // namespace supn
