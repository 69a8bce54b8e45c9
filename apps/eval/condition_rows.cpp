#include "eval/condition_rows.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "supn/evaluation/calibration/truth_calibration.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/evaluation/depth/held_back.hpp"
#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn {
namespace {

// One image's points and what they are judged by.
class Conditioning {
 public:
  Conditioning(const StructuredGaussian& gaussian,
               const KnownPoints& known,
               const EvaluationConfig& evaluation,
               const DepthMeasurements& ordered,
               const GroundTruth& truth,
               double scale)
      : gaussian_(gaussian),
        known_(known),
        evaluation_(evaluation),
        ordered_(ordered),
        truth_(truth),
        model_{scale,
               {.relative = known.relative_noise},
               {evaluation.min_depth, evaluation.max_depth}} {
    EvaluationConfig fixed = evaluation;
    fixed.scale = DepthScaleMode::kFixed;
    fixed.fixed_scale = scale;
    held_ = truth_points(gaussian.mean()[0][0], truth, fixed, known.seed);
    joint_ = point_gaussian(StructuredField(gaussian), at::cat({ordered.pixels, held_.pixels}));
  }

  // The first `count` points that some logit expresses.
  DepthMeasurements first(std::int64_t count) const {
    const DepthMeasurements points{ordered_.pixels.narrow(0, 0, count),
                                   ordered_.depth_m.narrow(0, 0, count)};
    return selected(points, representable(points, model_.scale, model_.range));
  }

  std::vector<NamedScore> own(const DepthMeasurements& points) const {
    const Observations observed =
        depth_observations(points, model_.scale, model_.noise, model_.range);
    ConditionedGaussian conditioned(gaussian_, observed);
    const DepthScale scale{DepthScaleMode::kFixed, model_.scale};
    const at::Tensor mean = disparity_from_logit(conditioned.mean()[0], model_.range);
    const at::Tensor samples = conditioned.samples(known_.seed, {0, evaluation_.samples})[0];
    ImageScores scores;
    scores.mean = accuracy(scaled_depth(mean, truth_, scale), truth_).front();
    scores.best =
        best_of(accuracy_of_disparity(disparity_from_logit(samples, model_.range), truth_, scale));
    scores.logit_std = marginal_std(samples).mean().item<double>();
    if (held_.pixels.size(0) >= 2) scores.intervals = intervals(observed);
    return named_scores(scores);
  }

  std::vector<NamedScore> of_rival(Rival rival, const DepthMeasurements& points) const {
    const RivalInputs inputs{gaussian_.mean()[0][0], model_.scale, model_.range, known_.isotropic};
    const HeldBackScores held = score_rival(rival_depth(rival, inputs, points), truth_, model_);
    ImageScores scores;
    scores.mean = held.accuracy;
    if (rival == Rival::kIsotropic) scores.intervals.points = held.depth;
    return named_scores(scores);
  }

 private:
  // observed: of the first points, less those that no logit expresses.
  DepthIntervals intervals(const Observations& observed) const {
    const at::Tensor wanted = at::cat({observed.pixels, held_.pixels});
    const at::Tensor all = at::cat({ordered_.pixels, held_.pixels});
    const at::Tensor index = all.unsqueeze(0).eq(wanted.unsqueeze(1)).to(at::kByte).argmax(1);
    const PointGaussian joint{joint_.mean.index_select(0, index),
                              joint_.covariance.index_select(0, index).index_select(1, index)};
    PointGaussian given = given_first(joint, observed.values, observed.noise_variance);
    const at::Tensor depth =
        depth_from_disparity(disparity_from_logit(held_.logits, model_.range), model_.scale);
    given.covariance.diagonal().add_(
        logit_noise_variance(depth, model_.scale, model_.noise, model_.range));
    return truth_deviations(given, held_, gaussian_.size(), model_.range).depths;
  }

  const StructuredGaussian& gaussian_;
  const KnownPoints& known_;
  const EvaluationConfig& evaluation_;
  const DepthMeasurements& ordered_;
  const GroundTruth& truth_;
  MeasurementModel model_;
  TruthPoints held_;
  PointGaussian joint_;  // of the ordered and the held points
};

}  // namespace

std::string known_row_name(const std::string& model, std::int64_t count) {
  return fmt::format("{}, {} points", model, count);
}

std::string rival_row_name(const std::string& model, std::int64_t count, Rival rival) {
  return known_row_name(model, count) + ": " + std::string(option_name(rival));
}

std::vector<std::string> conditioned_rows(const std::string& model, const KnownPoints& known) {
  std::vector<std::string> rows;
  for (const std::int64_t count : known.counts) {
    rows.push_back(known_row_name(model, count));
    for (const Rival rival : rivals_of(known.isotropic)) {
      rows.push_back(rival_row_name(model, count, rival));
    }
  }
  return rows;
}

std::vector<ConditionedRow> score_conditioned(const std::string& model,
                                              const StructuredGaussian& gaussian,
                                              const at::Tensor& depth_m,
                                              const KnownPoints& known,
                                              const EvaluationConfig& evaluation) {
  const ThreadCount one_order_of_sums(1);
  const DepthMeasurements all = measurements_on_grid(depth_m, gaussian.size());
  const std::int64_t most = known.counts.back();
  if (all.count() <= most) return {};
  const DepthMeasurements ordered =
      selected(all, random_order(all.count(), known.seed).narrow(0, 0, most));
  const GroundTruth truth = ground_truth(
      without_measurements(depth_m, ordered.pixels, gaussian.size()), evaluation.protocol);
  if (truth.count() == 0) return {};
  const DepthRange range{evaluation.min_depth, evaluation.max_depth};
  const double scale = evaluation.scale == DepthScaleMode::kFixed
                           ? evaluation.fixed_scale
                           : median_scale(gaussian.mean()[0][0], ordered, range);
  if (!std::isfinite(scale) || scale <= 0.0) return {};              // of a mean that is not finite
  if (representable(ordered, scale, range).size(0) == 0) return {};  // of depths in other units
  const Conditioning conditioning(gaussian, known, evaluation, ordered, truth, scale);
  std::vector<ConditionedRow> rows;
  for (const std::int64_t count : known.counts) {
    const DepthMeasurements points = conditioning.first(count);
    rows.push_back({known_row_name(model, count), conditioning.own(points)});
    if (points.count() == 0) continue;
    for (const Rival rival : rivals_of(known.isotropic)) {
      rows.push_back({rival_row_name(model, count, rival), conditioning.of_rival(rival, points)});
    }
  }
  return rows;
}

}  // namespace supn
