#include "supn/comparison/ensemble_rows.hpp"

#include "supn/data/kitti.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
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
                                       const Frame& first,
                                       const std::function<void(const std::string&)>& warn) {
  if (!needs_log_scale(evaluation.ensemble_uncertainty)) return EnsembleUncertainty::kEmpirical;
  if (can_rank_by_log_scale(evaluation, data, first)) return evaluation.ensemble_uncertainty;
  warn("ensemble uncertainty is empirical, not " +
       std::string(option_name(evaluation.ensemble_uncertainty)) + ": " +
       (evaluation.uncertainty_space == UncertaintySpace::kSigmoid
            ? "the members have no log-scales (log_scale_0.npy)"
            : "log-scales rank in sigmoid space only"));
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

}  // namespace supn
