// Rows that need no network: the ensemble itself, and Gaussians fitted to its members.
#pragma once

#include <string>
#include <string_view>

#include "supn/data/dataset.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/low_rank_field.hpp"
#include "supn/evaluation/scores/image_scores.hpp"

namespace supn {

// The configured variant where it can be had (log-scales beside the first frame's samples, sigmoid
// space), else empirical, with a warning.
EnsembleUncertainty usable_uncertainty(const EvaluationConfig& evaluation,
                                       const DataConfig& data,
                                       const Frame& first);

// All variants that can be had.
std::vector<EnsembleUncertainty> usable_variants(const EvaluationConfig& evaluation,
                                                 const DataConfig& data,
                                                 const Frame& first);

// "ensemble, release2020".
std::string variant_row_name(EnsembleUncertainty variant);
// "ensemble fit: low_rank".
std::string fit_row_name(EnsembleFit fit);

// The fit to reference.members; its likelihood is each member's under the fit to all others.
ImageScores score_fit(EnsembleFit fit,
                      const ImageReference& reference,
                      double truth_temperature,
                      const EvaluationConfig& evaluation);

}  // namespace supn
