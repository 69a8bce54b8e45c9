#include "supn/evaluation/image_scores.hpp"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <array>

#include "supn/evaluation/depth_scale.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

DepthRange depth_range(const EvaluationConfig& config) {
  return {config.min_depth, config.max_depth};
}

DepthScale depth_scale(const EvaluationConfig& config) {
  return {config.scale, config.fixed_scale};
}

at::Tensor in_space(const at::Tensor& logits, const EvaluationConfig& config) {
  switch (config.uncertainty_space) {
    case UncertaintySpace::kSigmoid:
      return sigmoid_from_logit(logits);
    case UncertaintySpace::kLogit:
      return logits;
    case UncertaintySpace::kDepth:
      return depth_from_disparity(disparity_from_logit(logits, depth_range(config)), 1.0);
  }
  TORCH_CHECK(false, "in_space: unknown uncertainty space");
}

// One image's depth with its candidates (samples or members) and the map that ranks its pixels.
struct DepthCandidates {
  at::Tensor mean_disparity;  // [1,h,w]
  at::Tensor logits;          // [S,h,w]
  at::Tensor uncertainty;     // [h,w]
};

void score_depth(const DepthCandidates& candidates,
                 const GroundTruth& truth,
                 const EvaluationConfig& config,
                 ImageScores& scores) {
  const DepthScale scale = depth_scale(config);
  const at::Tensor mean_depth = scaled_depth(candidates.mean_disparity, truth, scale);
  scores.mean = accuracy(mean_depth, truth).front();
  scores.best = best_of(accuracy_of_disparity(
      disparity_from_logit(candidates.logits, depth_range(config)), truth, scale));
  const at::Tensor uncertainty = at_ground_truth(candidates.uncertainty.unsqueeze(0), truth);
  scores.sparsification = sparsify(truth.depth, mean_depth.select(0, 0), uncertainty.select(0, 0));
}

MemberLikelihood member_likelihood(const StructuredGaussian& gaussian, const at::Tensor& members) {
  const at::Tensor nats =
      log_prob(gaussian.to(at::kDouble), members.unsqueeze(0).to(at::kDouble)).sum();
  const double sum = nats.item<double>();
  return {sum / static_cast<double>(members.numel()), sum};
}

void check_members(const at::Tensor& members, const StructuredGaussian& gaussian) {
  TORCH_CHECK(members.dim() == 3 && members.size(0) >= 1 && members.size(1) == gaussian.height() &&
                  members.size(2) == gaussian.width(),
              "score_gaussian: expected members [S,",
              gaussian.height(),
              ",",
              gaussian.width(),
              "] with S >= 1, got ",
              members.sizes());
}

struct AccuracyKeys {
  std::string_view mean;
  std::string_view best;
  double Accuracy::*value;
};

constexpr std::array<AccuracyKeys, 7> kAccuracyKeys{{
    {"abs_rel", "abs_rel_best", &Accuracy::abs_rel},
    {"sq_rel", "sq_rel_best", &Accuracy::sq_rel},
    {"rmse", "rmse_best", &Accuracy::rmse},
    {"rmse_log", "rmse_log_best", &Accuracy::rmse_log},
    {"a1", "a1_best", &Accuracy::a1},
    {"a2", "a2_best", &Accuracy::a2},
    {"a3", "a3_best", &Accuracy::a3},
}};

}  // namespace

ImageScores score_gaussian(const StructuredGaussian& gaussian,
                           const ImageReference& reference,
                           const EvaluationConfig& config) {
  TORCH_CHECK(gaussian.batch() == 1,
              "score_gaussian: expected one image, got a batch of ",
              gaussian.batch());
  const std::array<std::uint64_t, 1> seeds{reference.seed};
  const Samples samples = sample(gaussian, seeds, {.range = {0, config.samples}});
  const at::Tensor logits = samples.values.select(0, 0);
  const at::Tensor logit_std = marginal_std(logits);
  ImageScores scores;
  scores.non_finite = samples.report.non_finite;
  scores.logit_std = logit_std.mean().item<double>();
  if (reference.members.defined()) {
    check_members(reference.members, gaussian);
    scores.likelihood = member_likelihood(gaussian, reference.members);
    if (reference.members.size(0) >= 2) {
      scores.spread = spread_ratio(logit_std, marginal_std(reference.members));
    }
  }
  if (reference.truth) {
    const std::int64_t ranking_samples = std::min(config.std_samples, config.samples);
    score_depth(
        {.mean_disparity = disparity_from_logit(gaussian.mean().select(0, 0), depth_range(config)),
         .logits = logits,
         .uncertainty = marginal_std(in_space(logits.narrow(0, 0, ranking_samples), config))},
        *reference.truth,
        config,
        scores);
  }
  return scores;
}

bool needs_log_scale(EnsembleUncertainty variant) {
  return variant != EnsembleUncertainty::kEmpirical;
}

at::Tensor ensemble_uncertainty(EnsembleUncertainty variant,
                                const at::Tensor& sigmoids,
                                const at::Tensor& log_scale) {
  const at::Tensor variance = sigmoids.to(at::kDouble).var(0, /*unbiased=*/true);
  if (!needs_log_scale(variant)) return variance;
  TORCH_CHECK(log_scale.defined() && log_scale.sizes() == sigmoids.sizes(),
              "ensemble_uncertainty: ",
              option_name(variant),
              " expects log-scales of the members' shape ",
              sigmoids.sizes(),
              "; use empirical without them");
  const at::Tensor u = log_scale.to(at::kDouble);
  switch (variant) {
    case EnsembleUncertainty::kEmpirical:
      return variance;
    case EnsembleUncertainty::kRelease2020:
      return variance + u.sum(0);
    case EnsembleUncertainty::kRelease2021a:
      return variance + u.exp().sum(0);
    case EnsembleUncertainty::kRelease2021b:
      return variance + u.exp().square().sum(0);
    case EnsembleUncertainty::kPaper:
      return variance + u.exp().square().mean(0);
  }
  TORCH_CHECK(false, "ensemble_uncertainty: unknown variant");
}

ImageScores score_ensemble(const at::Tensor& members,
                           const at::Tensor& log_scale,
                           const ImageReference& reference,
                           const EvaluationConfig& config) {
  TORCH_CHECK(members.dim() == 3 && members.size(0) >= 2,
              "score_ensemble: expected members [S,h,w] with S >= 2, got ",
              members.sizes());
  const EnsembleUncertainty variant = config.ensemble_uncertainty;
  TORCH_CHECK(!needs_log_scale(variant) || config.uncertainty_space == UncertaintySpace::kSigmoid,
              "score_ensemble: log-scales rank in sigmoid space only; expected ",
              "ensemble_uncertainty empirical, got ",
              option_name(variant));
  ImageScores scores;
  scores.logit_std = marginal_std(members).mean().item<double>();
  if (reference.truth) {
    const at::Tensor mean_sigmoid = sigmoid_from_logit(members).mean(0, /*keepdim=*/true);
    score_depth(
        {.mean_disparity = disparity_from_sigmoid(mean_sigmoid, depth_range(config)),
         .logits = members,
         .uncertainty = ensemble_uncertainty(variant, in_space(members, config), log_scale)},
        *reference.truth,
        config,
        scores);
  }
  return scores;
}

std::vector<NamedScore> named_scores(const ImageScores& scores) {
  std::vector<NamedScore> named;
  for (const AccuracyKeys& keys : kAccuracyKeys) {
    if (scores.mean) named.emplace_back(keys.mean, (*scores.mean).*keys.value);
    if (scores.best) named.emplace_back(keys.best, (*scores.best).*keys.value);
  }
  if (scores.sparsification) {
    const Sparsification& areas = *scores.sparsification;
    named.insert(named.end(),
                 {{"ause_abs_rel", areas.abs_rel.ause},
                  {"aurg_abs_rel", areas.abs_rel.aurg},
                  {"ause_rmse", areas.rmse.ause},
                  {"aurg_rmse", areas.rmse.aurg},
                  {"ause_a1", areas.a1.ause},
                  {"aurg_a1", areas.a1.aurg}});
  }
  if (scores.likelihood) {
    named.emplace_back("ll", scores.likelihood->nats_per_pixel);
    named.emplace_back("ll_sum", scores.likelihood->nats);
  }
  if (scores.spread) {
    named.insert(named.end(),
                 {{"ratio_p5", scores.spread->low},
                  {"ratio_median", scores.spread->median},
                  {"ratio_p95", scores.spread->high}});
  }
  named.emplace_back("logit_std", scores.logit_std);
  if (scores.non_finite > 0) {
    named.emplace_back("non_finite", static_cast<double>(scores.non_finite));
  }
  return named;
}

}  // namespace supn
