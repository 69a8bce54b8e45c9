// A viewed image is one image's Gaussian, given measured depths of some pixels, and what can be
// asked of it. All answers are exact, in float64, and equal to those of supn_condition,
// supn_covariance and supn_sample.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "supn/evaluation/depth/depth_moments.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/evaluation/depth/held_back.hpp"
#include "supn/gaussian/active_measurement.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/functional.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "view/gallery.hpp"

namespace supn {

struct KnownDepth {
  std::int64_t pixel = 0;  // of the maps
  double depth = 0.0;      // in metres if and only if the scale is known
  bool operator==(const KnownDepth&) const = default;
};

// The points are in raster order, no pixel twice.
struct KnownDepths {
  std::vector<KnownDepth> points;
  DepthNoise noise;
};

// Exactly one image is looked at, with its scale: none = depth without unit, as if it were 1.
class ViewedImage {
 public:
  ViewedImage(const StructuredGaussian& gaussian,
              Picture picture,
              std::optional<double> scale,
              std::uint64_t seed);

  const Picture& picture() const { return picture_; }
  ImageSize size() const { return gaussian_.size(); }
  const std::optional<double>& scale() const { return scale_; }
  // Holds the measured values, one a pixel; empty where nothing was measured.
  const DepthMeasurements& measured() const { return measured_; }
  // Replaces what was measured before. depth_m [H,W], 0 = none.
  void set_measured(const at::Tensor& depth_m);

  // The functions throw ConfigError where a depth cannot be expressed, or the points contradict
  // each other or lie too close for values without noise.
  LogitMarginals marginals(const KnownDepths& known);
  // Returns how far each point is from what all others predict, in standard deviations.
  at::Tensor distances(const KnownDepths& known);
  // Returns logits [S,H,W].
  at::Tensor samples(const KnownDepths& known, const SampleRange& range);
  // Returns the correlation [H,W] of the pixel with all others; 0 where a pixel is known exactly.
  at::Tensor correlation(const KnownDepths& known, std::int64_t pixel);

  // Means of the logits over boxes.
  struct Regions {
    at::Tensor mean;        // [M]
    at::Tensor covariance;  // [M,M]
    JointMoments depth;     // of the depths at these means
  };
  Regions regions(const KnownDepths& known, std::span<const PixelBox> boxes);

  // Scores against the measured depths that are not among the known ones; none without such.
  std::optional<HeldBackScores> scores(const KnownDepths& known);

  // `count` pixels to measure next. check: MeasurementPlan::check.
  ActiveMeasurement next(const KnownDepths& known,
                         std::int64_t count,
                         const std::function<void()>& check);

 private:
  ConditionedGaussian& given(const KnownDepths& known);
  DepthMeasurements measurements(const KnownDepths& known) const;
  double scale_or_one() const { return scale_.value_or(1.0); }

  StructuredGaussian gaussian_;  // float64
  Picture picture_;
  std::optional<double> scale_;
  std::uint64_t seed_;
  DepthMeasurements measured_;
  at::Tensor prior_variance_;  // [1,1,H,W]
  std::shared_ptr<CovarianceColumns> columns_;
  KnownDepths last_;
  std::optional<ConditionedGaussian> conditioned_;  // on last_
  at::Tensor variance_;                             // of conditioned_, once it is asked for
};

}  // namespace supn
