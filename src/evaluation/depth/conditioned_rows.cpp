#include "supn/evaluation/depth/conditioned_rows.hpp"

#include <ATen/ops/_unique.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "evaluation/depth/depth_range.hpp"
#include "evaluation/depth/known_scores.hpp"
#include "supn/evaluation/depth/active_points.hpp"
#include "supn/evaluation/depth/gross_errors.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
namespace {

// Points that some settings give; those settings are judged on the same ground truth.
struct PointGroup {
  std::vector<std::pair<KnownSetting, KnownPoints>> settings;
  DepthMeasurements largest;  // gives a median scale
  at::Tensor pixels;          // of all of them
};

class Choice {
 public:
  Choice(const StructuredGaussian& gaussian,
         const MeasuredImage& depths,
         const KnownRequest& request,
         const EvaluationConfig& evaluation)
      : gaussian_(gaussian), depths_(depths), request_(request), evaluation_(evaluation) {}

  // nothing where the image has too few measurements.
  PointGroup points() const;
  PointGroup beams() const;
  // Of a configured median, by the largest set; NaN where there is none.
  double scale(const DepthMeasurements& largest) const {
    if (evaluation_.scale == DepthScaleMode::kFixed) return evaluation_.fixed_scale;
    if (largest.count() == 0) return std::nan("");
    return median_scale(gaussian_.mean()[0][0], largest, range());
  }
  DepthRange range() const { return depth_range(evaluation_); }

 private:
  at::Tensor active_index(const DepthMeasurements& all, const DepthMeasurements& largest) const;

  const StructuredGaussian& gaussian_;
  const MeasuredImage& depths_;
  const KnownRequest& request_;
  const EvaluationConfig& evaluation_;
};

DepthMeasurements first(const DepthMeasurements& points, std::int64_t count) {
  const std::int64_t there = std::min(count, points.count());
  return {points.pixels.narrow(0, 0, there), points.depth_m.narrow(0, 0, there)};
}

at::Tensor Choice::active_index(const DepthMeasurements& all,
                                const DepthMeasurements& largest) const {
  const DepthNoise noise{.relative = request_.relative_noise};
  return active_points(
      gaussian_,
      all,
      {.count = request_.counts.back(),
       .seed = depths_.seed,
       .noise_variance = typical_noise_variance(all, scale(largest), noise, range())});
}

PointGroup Choice::points() const {
  PointGroup group;
  if (request_.counts.empty()) return group;
  const DepthMeasurements all = measurements_on_grid(depths_.depth_m, gaussian_.size());
  const std::int64_t most = request_.counts.back();
  if (all.count() <= most) return group;
  group.largest = selected(all, random_order(all.count(), depths_.seed).narrow(0, 0, most));
  group.pixels = group.largest.pixels;
  const double scale_of_image = scale(group.largest);
  if (!std::isfinite(scale_of_image) || scale_of_image <= 0.0) return group;
  DepthMeasurements active;
  if (request_.active) {
    active = selected(all, active_index(all, group.largest));
    group.pixels = std::get<0>(at::_unique(at::cat({group.pixels, active.pixels})));
  }
  const GrossErrors wrong = with_gross_errors(group.largest, request_.outliers, depths_.seed);
  for (const KnownSetting& setting : known_settings(request_)) {
    if (setting.choice == PointChoice::kBeams) continue;
    KnownPoints known;
    if (setting.choice == PointChoice::kActive) {
      known.points = first(active, setting.count);
    } else if (setting.has_outliers) {
      known.points = first(wrong.measurements, setting.count);
      known.is_wrong = wrong.is_wrong.narrow(0, 0, setting.count);
    } else {
      known.points = first(group.largest, setting.count);
    }
    group.settings.emplace_back(setting, std::move(known));
  }
  return group;
}

PointGroup Choice::beams() const {
  PointGroup group;
  for (const KnownSetting& setting : known_settings(request_)) {
    if (setting.choice != PointChoice::kBeams) continue;
    group.largest = measurements_on_grid(depths_.beams_m.at(setting.count), gaussian_.size());
    group.pixels = group.largest.pixels;  // fewer beams' are among those of more
    if (group.largest.count() > 0) group.settings.push_back({setting, {group.largest}});
  }
  return group;
}

}  // namespace

std::vector<ConditionedRow> score_conditioned(const std::string& model,
                                              const StructuredGaussian& gaussian,
                                              const MeasuredImage& depths,
                                              const KnownRequest& request,
                                              const TruthFits& fits,
                                              const EvaluationConfig& evaluation) {
  const ThreadCount one_order_of_sums(1);
  const Choice choice(gaussian, depths, request, evaluation);
  std::vector<ConditionedRow> rows;
  for (const PointGroup& group : {choice.points(), choice.beams()}) {
    if (group.settings.empty()) continue;
    const GroundTruth truth = ground_truth(
        without_measurements(depths.depth_m, group.pixels, gaussian.size()), evaluation.protocol);
    if (truth.count() == 0) continue;
    const double scale = choice.scale(group.largest);
    if (!std::isfinite(scale) || scale <= 0.0) continue;  // of a mean that is not finite
    if (representable(group.largest, scale, choice.range()).size(0) == 0) {
      continue;  // of depths in other units
    }
    const KnownScores scores(
        {.gaussian = gaussian,
         .request = request,
         .evaluation = evaluation,
         .isotropic = fits.isotropic,
         .tails = request.quantiles == QuantileRule::kTailed ? fits.tails : std::nullopt,
         .pixels = group.pixels,
         .truth = truth,
         .scale = scale,
         .seed = depths.seed});
    for (const auto& [setting, known] : group.settings) {
      KnownScores::Scored own = scores.own(setting, known);
      rows.push_back({known_row_name(model, setting.name), std::move(own.scores)});
      if (!setting.has_rivals() || own.believed.count() == 0) continue;
      for (const Rival rival : rivals_of(fits.isotropic)) {
        rows.push_back(
            {rival_row_name(model, setting.name, rival), scores.of_rival(rival, own.believed)});
      }
    }
  }
  return rows;
}

}  // namespace supn
