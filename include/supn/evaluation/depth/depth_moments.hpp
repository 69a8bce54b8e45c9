// Mean and variance of disparity and depth where the logit is normal: integrals over
// N(mean, variance) by the trapezoidal rule on ±8 standard deviations, whose error is below 1e-6 of
// the result for logit standard deviations up to 3. Not the delta method: depth is far from linear
// in the logit. Elementwise, float64.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/evaluation/depth/depth_scale.hpp"

namespace supn {

struct Moments {
  at::Tensor mean;
  at::Tensor variance;
};

// mean and variance of the logit, of one shape; a variance of 0 gives the value itself. Throw
// c10::Error if shapes differ.
Moments disparity_moments(const at::Tensor& mean,
                          const at::Tensor& variance,
                          const DepthRange& range);
// These are in metres if and only if the scale is known.
Moments depth_moments(const at::Tensor& mean,
                      const at::Tensor& variance,
                      double scale,
                      const DepthRange& range);

// Turns the mean [M] and covariance [M,M] of jointly normal logits (a singular covariance too) into
// those of the depths, pair by pair, by the same rule in two dimensions. The std of a difference of
// depths is √(C₀₀ + C₁₁ − 2·C₀₁). Throws c10::Error for other shapes.
struct JointMoments {
  at::Tensor mean;        // [M]
  at::Tensor covariance;  // [M,M]
};
JointMoments joint_depth_moments(const at::Tensor& mean,
                                 const at::Tensor& covariance,
                                 double scale,
                                 const DepthRange& range);

}  // namespace supn
