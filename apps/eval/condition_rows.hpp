// How much known depths help, as rows of the table: accuracy of the conditional mean and of the
// best conditional sample on the ground truth that is held back, its intervals of depth, and what
// others make of the same points (conditioning_rivals.hpp).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct KnownPoints {
  std::vector<std::int64_t> counts;                        // ascending
  double relative_noise = 0.02;                            // std of a known depth, relative to it
  std::uint64_t seed = 0;                                  // of the choice and of the samples
  std::optional<IsotropicField> isotropic = std::nullopt;  // for the row of that rival
};

// "<model>, 25 points" and "<model>, 25 points: <rival>".
std::string known_row_name(const std::string& model, std::int64_t count);
std::string rival_row_name(const std::string& model, std::int64_t count, Rival rival);

// All of a model's rows in the order of score_conditioned.
std::vector<std::string> conditioned_rows(const std::string& model, const KnownPoints& known);

struct ConditionedRow {
  std::string name;
  std::vector<NamedScore> scores;
};

// For each count the model's scores and its rivals'; nothing where there are not more measured
// pixels than the largest count. 25 points are the first 25 of the 50 and so on, chosen at random
// from depth_m [H,W]; all are judged on the same ground truth, outside the largest set: accuracy on
// all of it, intervals on truth_points of it, as new measurements (with their noise). A median scale
// is that of the largest set of known points.
std::vector<ConditionedRow> score_conditioned(const std::string& model,
                                              const StructuredGaussian& gaussian,
                                              const at::Tensor& depth_m,
                                              const KnownPoints& known,
                                              const EvaluationConfig& evaluation);

}  // namespace supn
