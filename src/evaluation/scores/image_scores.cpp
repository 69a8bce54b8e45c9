#include "supn/evaluation/scores/image_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include <algorithm>

#include "evaluation/depth/depth_range.hpp"
#include "evaluation/scores/depth_scores.hpp"
#include "supn/evaluation/calibration/member_calibration.hpp"
#include "supn/evaluation/calibration/truth_calibration.hpp"
#include "supn/evaluation/depth/depth_moments.hpp"
#include "supn/evaluation/scores/proper_scores.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
namespace {

// The field's own kernels give these, on all threads.
struct FieldFacts {
  FieldSamples samples;
  at::Tensor variance;  // [h,w]
  std::optional<at::Tensor> member_log_prob;
  std::optional<at::Tensor> second_log_prob;
  TruthPoints points;
  std::optional<PointGaussian> at_points;  // where there are two or more
};

FieldFacts facts_of(const JointField& field,
                    const ImageReference& reference,
                    const EvaluationConfig& config) {
  FieldFacts facts;
  facts.samples = field.samples(reference.seed, {0, config.samples});
  facts.variance = field.variance();
  if (reference.members.defined() && reference.role == MemberRole::kHeldOut &&
      field.has_density()) {
    facts.member_log_prob = field.log_prob(reference.members);
  }
  if (reference.second_members.defined() && field.has_density()) {
    facts.second_log_prob = field.log_prob(reference.second_members);
  }
  if (reference.truth) {
    facts.points = truth_points(field.mean(), *reference.truth, config, reference.seed);
    if (facts.points.pixels.size(0) >= 2) {
      facts.at_points = point_gaussian(field, facts.points.pixels);
    }
  }
  return facts;
}

// Returns std [h,w] of the exact marginals in each space; not finite where the variance is not.
SpaceMaps exact_uncertainty(const at::Tensor& mean,
                            const at::Tensor& variance,
                            const EvaluationConfig& config) {
  const DepthRange range = depth_range(config);
  return {.sigmoid = disparity_moments(mean, variance, range).variance.sqrt(),
          .logit = variance.sqrt(),
          .depth = depth_moments(mean, variance, 1.0, range).variance.sqrt()};
}

MemberLikelihood likelihood_of(const at::Tensor& log_prob, std::int64_t pixels) {
  const double nats = log_prob.sum().item<double>();
  return {nats / static_cast<double>(log_prob.numel() * pixels), nats};
}

void add_calibration_curves(const std::string& name,
                            const at::Tensor& deviations,
                            ImageScores& scores) {
  const auto coverage = coverage_curve(deviations);
  scores.curves.push_back({"coverage_" + name, {coverage.begin(), coverage.end()}});
  const auto pit = pit_histogram(deviations);
  scores.curves.push_back({"pit_" + name, {pit.begin(), pit.end()}});
}

void score_members(const JointField& field,
                   const FieldFacts& facts,
                   const at::Tensor& members,
                   ImageScores& scores) {
  const MemberDeviations deviations = member_deviations(field, facts.variance, members);
  const at::Tensor& samples = facts.samples.values;
  scores.member_scores = {.pixels = calibration(deviations.pixels),
                          .regions = calibration(deviations.regions),
                          .differences = calibration(deviations.differences),
                          .energy = energy_score(samples.flatten(1), members.flatten(1)),
                          .variogram = variogram_score(samples, members)};
  add_calibration_curves("pixels", deviations.pixels, scores);
  add_calibration_curves("regions", deviations.regions, scores);
  add_calibration_curves("differences", deviations.differences, scores);
}

void score_truth(const FieldFacts& facts,
                 const ImageReference& reference,
                 const EvaluationConfig& config,
                 ImageScores& scores) {
  const TruthPoints& points = facts.points;
  const double temperature = reference.truth_temperature;
  const PointGaussian gaussian{facts.at_points->mean,
                               facts.at_points->covariance * (temperature * temperature)};
  const at::Tensor& values = facts.samples.values;
  const ImageSize size{values.size(1), values.size(2)};
  const TruthDeviations deviations = truth_deviations(gaussian, points, size, depth_range(config));
  const at::Tensor drawn = values.to(at::kDouble).flatten(1).index_select(1, points.pixels);
  const at::Tensor samples = gaussian.mean + (drawn - gaussian.mean) * temperature;
  const at::Tensor all = at::arange(points.pixels.size(0), at::kLong);
  const bool has_regions = deviations.regions.size(0) > 0;
  scores.truth_scores = {
      .points = calibration(deviations.points),
      .regions = has_regions ? std::optional(calibration(deviations.regions)) : std::nullopt,
      .differences = calibration(deviations.differences),
      .whitened_variance = deviations.whitened.square().mean().item<double>(),
      .joint_nll = -deviations.joint_log_density,
      .independent_nll = -deviations.independent_log_density,
      .energy = energy_score(samples, points.logits.unsqueeze(0)),
      .variogram = variogram_score_of_pairs(samples, points.logits, all, deviations.nearest)};
  scores.intervals = deviations.depths;
  add_calibration_curves("truth_points", deviations.points, scores);
  if (has_regions) add_calibration_curves("truth_regions", deviations.regions, scores);
  add_calibration_curves("truth_differences", deviations.differences, scores);
}

void check_members(const at::Tensor& members, const ImageSize& size) {
  TORCH_CHECK(
      !members.defined() || (members.dim() == 3 && members.size(0) >= 1 &&
                             members.size(1) == size.height && members.size(2) == size.width),
      "score_field: expected members [S,",
      size.height,
      ",",
      size.width,
      "] with S >= 1, got ",
      members.sizes());
}

void compare_with_members(const FieldFacts& facts,
                          const at::Tensor& mean,
                          const at::Tensor& logit_std,
                          const at::Tensor& members,
                          ImageScores& scores) {
  if (members.size(0) < 2) return;
  const at::Tensor errors = (members - mean).to(at::kDouble);
  scores.spread_about_mean = spread_ratio(facts.variance.sqrt(), errors.square().mean(0).sqrt());
  const at::Tensor member_std = marginal_std(members);
  scores.spread = spread_ratio(logit_std, member_std);
  scores.exact_spread = spread_ratio(facts.variance.sqrt(), member_std);
  scores.member_texture = texture(members);
}

}  // namespace

ImageScores score_field(const JointField& field,
                        const ImageReference& reference,
                        const EvaluationConfig& config) {
  check_members(reference.members, field.size());
  check_members(reference.second_members, field.size());
  const FieldFacts facts = facts_of(field, reference, config);
  const ThreadCount one_order_of_sums(1);
  const at::Tensor& logits = facts.samples.values;
  const at::Tensor logit_std = marginal_std(logits);
  ImageScores scores;
  scores.non_finite = facts.samples.non_finite;
  scores.logit_std = logit_std.mean().item<double>();
  scores.texture = texture(logits);
  const std::int64_t pixels = logit_std.numel();
  if (facts.member_log_prob) scores.likelihood = likelihood_of(*facts.member_log_prob, pixels);
  if (facts.second_log_prob) {
    scores.second_likelihood = likelihood_of(*facts.second_log_prob, pixels);
  }
  if (reference.members.defined()) {
    compare_with_members(facts, field.mean(), logit_std, reference.members, scores);
    if (reference.role == MemberRole::kHeldOut) {
      score_members(field, facts, reference.members, scores);
    }
  }
  if (facts.at_points) score_truth(facts, reference, config, scores);
  if (!reference.truth) return scores;
  const std::int64_t ranking_samples = std::min(config.std_samples, config.samples);
  const at::Tensor mean = field.mean();
  score_depth(
      {.mean_disparity = disparity_from_logit(mean.unsqueeze(0), depth_range(config)),
       .logits = logits,
       .uncertainty = marginal_std(in_space(
           logits.narrow(0, 0, ranking_samples), config.uncertainty_space, depth_range(config))),
       .by_space = exact_uncertainty(mean, facts.variance, config),
       .by_space_of = SpreadOf::kExactMarginals},
      *reference.truth,
      config,
      scores);
  return scores;
}

ImageScores score_gaussian(const StructuredGaussian& gaussian,
                           const ImageReference& reference,
                           const EvaluationConfig& config) {
  ImageScores scores = score_field(StructuredField(gaussian), reference, config);
  const ThreadCount one_order_of_sums(1);
  scores.coupling = coupling(gaussian);
  if (!reference.members.defined()) return scores;
  scores.whiteness = whiteness(gaussian, reference.members);
  scores.level_variances = level_variances(gaussian, reference.members);
  return scores;
}

}  // namespace supn
