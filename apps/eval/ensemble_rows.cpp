#include "eval/ensemble_rows.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/spdlog.h>

#include "supn/data/kitti.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

bool can_rank_by_log_scale(const EvaluationConfig& evaluation,
                           const DataConfig& data,
                           const Frame& first) {
  return evaluation.uncertainty_space == UncertaintySpace::kSigmoid &&
         is_there(log_scale_path(data.samples, first));
}

}  // namespace

EnsembleUncertainty usable_uncertainty(const EvaluationConfig& evaluation,
                                       const DataConfig& data,
                                       const Frame& first) {
  if (!needs_log_scale(evaluation.ensemble_uncertainty)) return EnsembleUncertainty::kEmpirical;
  if (can_rank_by_log_scale(evaluation, data, first)) return evaluation.ensemble_uncertainty;
  spdlog::warn("ensemble uncertainty is empirical, not {}: {}",
               option_name(evaluation.ensemble_uncertainty),
               evaluation.uncertainty_space == UncertaintySpace::kSigmoid
                   ? "the members have no log-scales (log_scale_0.npy)"
                   : "log-scales rank in sigmoid space only");
  return EnsembleUncertainty::kEmpirical;
}

std::vector<EnsembleUncertainty> usable_variants(const EvaluationConfig& evaluation,
                                                 const DataConfig& data,
                                                 const Frame& first) {
  std::vector<EnsembleUncertainty> variants;
  const bool all = can_rank_by_log_scale(evaluation, data, first);
  for (const auto& [name, variant] : OptionNames<EnsembleUncertainty>::values) {
    if (all || !needs_log_scale(variant)) variants.push_back(variant);
  }
  return variants;
}

std::string variant_row_name(EnsembleUncertainty variant) {
  return "ensemble, " + std::string(option_name(variant));
}

std::string fit_row_name(EnsembleFit fit) {
  return "ensemble fit: " + std::string(option_name(fit));
}

ImageScores score_fit(EnsembleFit fit,
                      const ImageReference& reference,
                      double truth_temperature,
                      const EvaluationConfig& evaluation) {
  ImageReference fitted = reference;
  fitted.truth_temperature = truth_temperature;
  fitted.role = MemberRole::kFitted;
  ImageScores scores = score_field(fit_to_ensemble(fit, reference.members), fitted, evaluation);
  const double nats = leave_one_out_log_prob(fit, reference.members).sum().item<double>();
  scores.likelihood = {nats / static_cast<double>(reference.members.numel()), nats};
  return scores;
}

}  // namespace supn
