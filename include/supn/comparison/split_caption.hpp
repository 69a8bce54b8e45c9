// The table's caption says this of an evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "supn/comparison/evaluate_split.hpp"
#include "supn/evaluation/calibration/temperature_fit.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/low_rank_field.hpp"
#include "supn/network/temperature.hpp"

namespace supn {

struct ModelTemperatures {
  std::string model;
  AppliedTemperature members;  // for what is judged by members
  AppliedTemperature truth;    // for what is judged by measured depths
};

struct SplitFacts {
  std::int64_t stored_members = 0;    // in the sample files
  std::int64_t imitated_members = 0;  // that the models are judged against
  std::int64_t images = 0;
  std::vector<std::string> skipped;  // images without ground truth that counts
  std::vector<ModelTemperatures> temperatures = {};
  std::map<EnsembleFit, FittedTemperature> fit_temperatures = {};  // of the truth
  std::vector<std::pair<std::string, std::string>> external = {};  // rows and what they come from
};

std::vector<std::pair<std::string, std::string>> split_caption(const EvaluationRequest& request,
                                                               const EvaluationConfig& evaluation,
                                                               const SplitFacts& facts);

}  // namespace supn
