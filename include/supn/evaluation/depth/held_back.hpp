// A Gaussian over logits against measurements that it was not conditioned on.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/evaluation/calibration/interval_scores.hpp"
#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/evaluation/scores/accuracy.hpp"

namespace supn {

// Describes each pixel by itself.
struct LogitMarginals {
  at::Tensor mean;           // [h,w]
  at::Tensor variance = {};  // [h,w], or undefined
};

struct HeldBackScores {
  std::int64_t points = 0;
  Accuracy accuracy;  // of the mean, at the points (accuracy.hpp)
  // These need the variance; NaN without. They judge each point at the pixel it falls on, in
  // logits, as a new measurement: variance of the Gaussian + variance of the noise.
  double coverage_50 = 0.0;    // share inside the central interval of 50 %
  double coverage_90 = 0.0;    // and of 90 %
  double deviation_rms = 0.0;  // √mean ((value − mean)/std)²: 1 if the std is right
  double log_density = 0.0;    // nats per point, mean; high is good
  IntervalScores depth;        // of the same, in depth
};

struct MeasurementModel {
  double scale = 1.0;
  DepthNoise noise = {};
  DepthRange range = {};
};

// Points that no logit expresses count for accuracy alone. Throws c10::Error for truth without
// points.
HeldBackScores score_held_back(const LogitMarginals& marginals,
                               const GroundTruth& truth,
                               const MeasurementModel& model);
// Scores normals in the log of the depth, whose variance holds the noise already; log_density stays
// NaN.
HeldBackScores score_rival(const LogDepthMarginals& marginals,
                           const GroundTruth& truth,
                           const MeasurementModel& model);

}  // namespace supn
