// What the table's caption says of an evaluation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "eval/evaluate_split.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/network/temperature.hpp"

namespace supn {

struct SplitFacts {
  std::int64_t stored_members = 0;    // in the sample files
  std::int64_t imitated_members = 0;  // that the models are judged against
  std::int64_t images = 0;
  std::vector<std::string> skipped;  // images without ground truth that counts
  std::vector<std::pair<std::string, Temperature>> temperatures = {};  // by model
  std::vector<std::pair<std::string, std::string>> external = {};  // rows and what they come from
};

std::vector<std::pair<std::string, std::string>> split_caption(const EvaluationRequest& request,
                                                               const EvaluationConfig& evaluation,
                                                               const SplitFacts& facts);

}  // namespace supn
