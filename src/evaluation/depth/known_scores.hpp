// One image's Gaussian and the ground truth that is held back: scores of what is made of known points.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "supn/evaluation/calibration/truth_calibration.hpp"
#include "supn/evaluation/depth/held_back.hpp"
#include "supn/evaluation/depth/known_settings.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn {

struct KnownPoints {
  DepthMeasurements points;
  at::Tensor is_wrong = {};  // bool, with gross errors; undefined: none has
};

class KnownScores {
 public:
  struct Inputs {
    const StructuredGaussian& gaussian;
    const KnownRequest& request;
    const EvaluationConfig& evaluation;
    const std::optional<IsotropicField>& isotropic;
    std::optional<Tails> tails;  // of intervals; none: a Gaussian's
    at::Tensor pixels;           // of all points that any setting gives
    GroundTruth truth;           // outside of them
    double scale = 1.0;
    std::uint64_t seed = 0;
  };
  explicit KnownScores(Inputs inputs);

  struct Scored {
    std::vector<NamedScore> scores = {};
    DepthMeasurements believed;  // without those that no logit expresses, or that the gate dropped
  };
  Scored own(const KnownSetting& setting, const KnownPoints& known) const;
  std::vector<NamedScore> of_rival(Rival rival, const DepthMeasurements& believed) const;

 private:
  ConditioningOptions options_of(const KnownSetting& setting) const;
  ImageScores accuracies(ConditionedGaussian& conditioned) const;
  DepthIntervals intervals(const Observations& observed, const CommonUnknown& common) const;
  at::Tensor marginal() const;
  at::Tensor held_depth() const;  // metres, [K] of the held points

  Inputs in_;
  MeasurementModel model_;
  TruthPoints held_;
  at::Tensor joint_pixels_;  // those of all settings and the held points
  PointGaussian joint_;      // of them
  std::shared_ptr<CovarianceColumns> columns_;
  mutable at::Tensor marginal_;  // once computed
};

}  // namespace supn
