// Rows that need no network: the ensemble itself, and Gaussians fitted to its members.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/low_rank_field.hpp"

namespace supn {

// The configured variant where it can be had (log-scales beside the first frame's samples, sigmoid
// space), else empirical, with a warning.
EnsembleUncertainty usable_uncertainty(const EvaluationConfig& evaluation,
                                       const DataConfig& data,
                                       const Frame& first,
                                       const std::function<void(const std::string&)>& warn);

// All variants that can be had.
std::vector<EnsembleUncertainty> usable_variants(const EvaluationConfig& evaluation,
                                                 const DataConfig& data,
                                                 const Frame& first);

// "ensemble, release2020".
std::string variant_row_name(EnsembleUncertainty variant);
// "ensemble fit: low_rank".
std::string fit_row_name(EnsembleFit fit);

}  // namespace supn
