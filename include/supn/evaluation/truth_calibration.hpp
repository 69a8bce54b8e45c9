// A joint Gaussian over logits against measured depth, at up to 200 random ground-truth points that
// a logit can express. With e their residuals and C = Σ_KK, exact:
//
//   points       e_i/√C_ii
//   differences  (e_i − e_j)/√(C_ii + C_jj − 2C_ij), j the point nearest to i
//   regions      ā = mean of e over the points of a cell of an 8 × 16 grid (two or more), over its
//                std √(aᵀCa)
//   whitened     R⁻¹e with RRᵀ = C: independent standard normals if the joint distribution is right
//   log density  of all points together, and as if they were independent, nats per point
//
// Ground truth holds errors that an ensemble does not know of: expect models that imitate one to be
// too sure here.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "supn/evaluation/accuracy.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/joint_field.hpp"

namespace supn {

inline constexpr std::int64_t kTruthPoints = 200;

// Ground truth as logits on the field's pixels.
struct TruthPoints {
  at::Tensor pixels;  // int64 [K], raster indices, ascending
  at::Tensor logits;  // float64 [K]
};

// A random choice that hangs on the seed alone; fewer where there are fewer, K may be 0. With the
// scale of the configuration (median: of the field's mean over all measured pixels; no points where
// that mean is not finite).
TruthPoints truth_points(const at::Tensor& mean,
                         const GroundTruth& truth,
                         const EvaluationConfig& config,
                         std::uint64_t seed);

struct TruthDeviations {
  at::Tensor points;       // [K]
  at::Tensor differences;  // [K]
  at::Tensor regions;      // [R]
  at::Tensor whitened;     // [K], NaN where Σ_KK is not positive definite in float64
  double joint_log_density = 0.0;
  double independent_log_density = 0.0;
  at::Tensor nearest;  // int64 [K], the j of each i
};

// K >= 2. covariance: field.covariance(points.pixels).
TruthDeviations truth_deviations(const JointField& field,
                                 const at::Tensor& covariance,
                                 const TruthPoints& points);

}  // namespace supn
