#include "evaluation/depth/known_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <utility>

#include "supn/evaluation/depth/depth_quantiles.hpp"
#include "supn/evaluation/depth/gross_errors.hpp"
#include "supn/evaluation/depth/outlier_gate.hpp"
#include "supn/evaluation/depth/unknown_scale.hpp"
#include "supn/gaussian/marginal.hpp"

namespace supn {
namespace {

// Columns of Σ are kept for so many pixels: a megabyte each at 640×192.
constexpr std::int64_t kMostColumns = 512;

void append(const std::vector<NamedScore>& from, std::vector<NamedScore>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<NamedScore> named_gate(const GateScores& gate) {
  std::vector<NamedScore> named{{"gate_dropped", static_cast<double>(gate.dropped)}};
  if (gate.recall) named.emplace_back("gate_recall", *gate.recall);
  if (gate.precision) named.emplace_back("gate_precision", *gate.precision);
  return named;
}

}  // namespace

KnownScores::KnownScores(Inputs inputs)
    : in_(std::move(inputs)),
      model_{in_.scale, {.relative = in_.request.relative_noise}, depth_range(in_.evaluation)} {
  EvaluationConfig fixed = in_.evaluation;
  fixed.scale = DepthScaleMode::kFixed;
  fixed.fixed_scale = in_.scale;
  held_ = truth_points(in_.gaussian.mean()[0][0], in_.truth, fixed, in_.seed);
  joint_pixels_ = at::cat({in_.pixels, held_.pixels});
  joint_ = point_gaussian(StructuredField(in_.gaussian), joint_pixels_);
  if (in_.pixels.size(0) > kMostColumns) return;
  columns_ = std::make_shared<CovarianceColumns>(in_.gaussian, in_.pixels.size(0));
}

ConditioningOptions KnownScores::options_of(const KnownSetting& setting) const {
  ConditioningOptions options{.columns = columns_};
  if (setting.has_unknown_scale) {
    options.common =
        unknown_scale(in_.gaussian.mean(), in_.request.scale_std.value_or(0.0), model_.range);
  }
  if (in_.request.active) options.prior_variance = marginal();
  return options;
}

at::Tensor KnownScores::marginal() const {
  if (!marginal_.defined()) marginal_ = marginal_variance(in_.gaussian).to(at::kDouble);
  return marginal_;
}

KnownScores::Scored KnownScores::own(const KnownSetting& setting, const KnownPoints& known) const {
  const at::Tensor usable = representable(known.points, model_.scale, model_.range);
  Scored result{.believed = selected(known.points, usable)};
  const auto observations = [&] {
    return depth_observations(result.believed, model_.scale, model_.noise, model_.range);
  };
  const ConditioningOptions options = options_of(setting);
  std::vector<NamedScore> gate;
  if (setting.is_gated) {
    const GateResult found = gate_outliers(
        in_.gaussian, observations(), {.limit = in_.request.gate, .conditioning = options});
    result.believed = selected(result.believed, found.kept);
    gate = known.is_wrong.defined()
               ? named_gate(gate_scores(known.is_wrong.index_select(0, usable), found.dropped))
               : named_gate({.dropped = found.dropped.size(0)});
  }
  const Observations observed = observations();
  ConditionedGaussian conditioned(in_.gaussian, observed, options);
  ImageScores scores = accuracies(conditioned);
  if (held_.pixels.size(0) >= 2) scores.intervals = intervals(observed, options.common);
  result.scores = named_scores(scores);
  append(gate, result.scores);
  if (setting.has_unknown_scale) {
    const CommonEstimate scale = conditioned.common();
    append({{"log_scale", scale.mean}, {"std_of_log_scale", scale.std}}, result.scores);
  }
  if (in_.request.active && setting.choice != PointChoice::kBeams) {
    const double left = (conditioned.variance().sum() / marginal().sum()).item<double>();
    result.scores.emplace_back("variance_left", left);
  }
  return result;
}

ImageScores KnownScores::accuracies(ConditionedGaussian& conditioned) const {
  const DepthScale scale{DepthScaleMode::kFixed, model_.scale};
  const at::Tensor mean = disparity_from_logit(conditioned.mean()[0], model_.range);
  const at::Tensor samples = conditioned.samples(in_.seed, {0, in_.evaluation.samples})[0];
  ImageScores scores;
  scores.mean = accuracy(scaled_depth(mean, in_.truth, scale), in_.truth).front();
  scores.best =
      best_of(accuracy_of_disparity(disparity_from_logit(samples, model_.range), in_.truth, scale));
  scores.logit_std = marginal_std(samples).mean().item<double>();
  return scores;
}

std::vector<NamedScore> KnownScores::of_rival(Rival rival,
                                              const DepthMeasurements& believed) const {
  const RivalInputs inputs{in_.gaussian.mean()[0][0], model_.scale, model_.range, in_.isotropic};
  const LogDepthMarginals marginals = rival_depth(rival, inputs, believed);
  ImageScores scores;
  scores.mean = score_rival({marginals.mean}, in_.truth, model_).accuracy;
  if (!marginals.variance || held_.pixels.size(0) < 2) return named_scores(scores);
  const at::Tensor mean = marginals.mean.reshape({-1}).index_select(0, held_.pixels);
  const at::Tensor std = marginals.variance(held_.pixels).sqrt();
  const at::Tensor quantiles = mean + std * normal_deviates(kQuantileProbabilities).values;
  const at::Tensor depth = held_depth();
  scores.intervals.points = interval_scores(quantiles.exp(), depth, depth);
  return named_scores(scores);
}

at::Tensor KnownScores::held_depth() const {
  return depth_from_disparity(disparity_from_logit(held_.logits, model_.range), model_.scale);
}

DepthIntervals KnownScores::intervals(const Observations& observed,
                                      const CommonUnknown& common) const {
  const at::Tensor wanted = at::cat({observed.pixels, held_.pixels});
  const at::Tensor index =
      joint_pixels_.unsqueeze(0).eq(wanted.unsqueeze(1)).to(at::kByte).argmax(1);
  PointGaussian joint{joint_.mean.index_select(0, index),
                      joint_.covariance.index_select(0, index).index_select(1, index)};
  if (common.column.defined()) {
    const at::Tensor column = common.column.reshape({-1}).index_select(0, wanted) * common.std;
    joint.covariance = joint.covariance + column.unsqueeze(1) * column.unsqueeze(0);
  }
  PointGaussian given = given_first(joint, observed.values, observed.noise_variance);
  given.covariance.diagonal().add_(
      logit_noise_variance(held_depth(), model_.scale, model_.noise, model_.range));
  std::optional<TailedQuantiles> tailed;
  if (in_.tails) {
    const std::int64_t known = observed.pixels.size(0);
    const std::int64_t held = held_.pixels.size(0);
    tailed = {*in_.tails, joint.covariance.narrow(0, known, held).narrow(1, known, held)};
  }
  return truth_deviations(given, held_, in_.gaussian.size(), model_.range, tailed).depths;
}

}  // namespace supn
