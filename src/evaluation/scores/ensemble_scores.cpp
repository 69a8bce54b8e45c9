#include <ATen/TensorOperators.h>

#include "evaluation/depth/depth_range.hpp"
#include "evaluation/scores/depth_scores.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {

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
  const ThreadCount one_order_of_sums(1);
  ImageScores scores;
  scores.logit_std = marginal_std(members).mean().item<double>();
  scores.texture = texture(members);
  if (reference.truth) {
    const DepthRange range = depth_range(config);
    const auto spread = [&](UncertaintySpace space) {
      return marginal_std(in_space(members, space, range));
    };
    const at::Tensor mean_sigmoid = sigmoid_from_logit(members).mean(0, /*keepdim=*/true);
    score_depth({.mean_disparity = disparity_from_sigmoid(mean_sigmoid, range),
                 .logits = members,
                 .uncertainty = ensemble_uncertainty(
                     variant, in_space(members, config.uncertainty_space, range), log_scale),
                 .by_space = {.sigmoid = spread(UncertaintySpace::kSigmoid),
                              .logit = spread(UncertaintySpace::kLogit),
                              .depth = spread(UncertaintySpace::kDepth)}},
                *reference.truth,
                config,
                scores);
  }
  return scores;
}

ImageScores score_fit(EnsembleFit fit,
                      const ImageReference& reference,
                      double truth_temperature,
                      const EvaluationConfig& config) {
  ImageReference fitted = reference;
  fitted.truth_temperature = truth_temperature;
  fitted.role = MemberRole::kFitted;
  ImageScores scores = score_field(fit_to_ensemble(fit, reference.members), fitted, config);
  const double nats = leave_one_out_log_prob(fit, reference.members).sum().item<double>();
  scores.likelihood = {nats / static_cast<double>(reference.members.numel()), nats};
  return scores;
}

}  // namespace supn
