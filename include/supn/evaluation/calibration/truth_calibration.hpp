// A joint Gaussian over logits against measured depth, at random ground-truth points that a logit
// can express. With e their residuals and C = Σ_KK, exact:
//
//   points       e_i/√C_ii
//   differences  (e_i − e_j)/√(C_ii + C_jj − 2C_ij), j the point nearest to i
//   regions      ā = mean of e over the points of a cell of an 8 × 16 grid (two or more), over its
//                std √(aᵀCa)
//   whitened     R⁻¹e with RRᵀ = C: independent standard normals if the joint distribution is right
//   log density  of all points together, and as if they were independent, nats per point
//
// Points, regions (the depth at the mean logit) and differences are judged in depth too, by their
// quantiles (depth_quantiles.hpp) and as shares of the depth, on which its scale has no effect.
//
// Ground truth holds errors that an ensemble does not know of: expect models that imitate one to be
// too sure here.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "supn/evaluation/calibration/interval_scores.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/joint_field.hpp"
#include "supn/evaluation/scores/accuracy.hpp"

namespace supn {

inline constexpr std::int64_t kTruthPoints = 200;

// Ground truth as logits on the field's pixels.
struct TruthPoints {
  at::Tensor pixels;  // int64 [K], raster indices, ascending
  at::Tensor logits;  // float64 [K]
};

// A random choice of `count` that hangs on the seed alone; fewer where there are fewer, K may be 0.
// With the scale of the configuration (median: of the field's mean over all measured pixels; no points where
// that mean is not finite).
TruthPoints truth_points(const at::Tensor& mean,
                         const GroundTruth& truth,
                         const EvaluationConfig& config,
                         std::uint64_t seed,
                         std::int64_t count = kTruthPoints);

struct TruthDeviations {
  at::Tensor points;       // [K]
  at::Tensor differences;  // [K]
  at::Tensor regions;      // [R]
  at::Tensor whitened;     // [K], NaN where Σ_KK is not positive definite in float64
  double joint_log_density = 0.0;
  double independent_log_density = 0.0;
  at::Tensor nearest;  // int64 [K], the j of each i
  DepthIntervals depths;
};

// A Gaussian at the points: float64 mean [K] and covariance [K,K].
struct PointGaussian {
  at::Tensor mean;
  at::Tensor covariance;
};
PointGaussian point_gaussian(const JointField& field, const at::Tensor& pixels);
// The last points given measured values of the first ones, with the variance of their noise.
PointGaussian given_first(const PointGaussian& joint,
                          const at::Tensor& values,
                          const at::Tensor& noise_variance);

// K >= 2. size: of the maps that the points are pixels of.
TruthDeviations truth_deviations(const PointGaussian& gaussian,
                                 const TruthPoints& points,
                                 const ImageSize& size,
                                 const DepthRange& range);

}  // namespace supn
