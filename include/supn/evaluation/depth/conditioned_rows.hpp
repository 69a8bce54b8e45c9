// Rows of the table show how much known depths help: accuracy of the conditional mean and of the
// best conditional sample on the ground truth that is held back, its intervals of depth, and what
// others make of the same points (conditioning_rivals.hpp).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "supn/evaluation/depth/known_settings.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/gaussian/tails.hpp"

namespace supn {

// Of one image.
struct MeasuredImage {
  at::Tensor depth_m;  // [H,W], 0 = none
  // Of it, by number: what so many beams measured; one for each of KnownRequest::beams.
  std::map<std::int64_t, at::Tensor> beams_m = {};
  std::uint64_t seed = 0;  // of the choice, of gross errors and of the samples
};

// Fitted to the ground truth of the validation split, beside the temperature.
struct TruthFits {
  std::optional<IsotropicField> isotropic;  // for the row of that rival
  std::optional<Tails> tails;               // for tailed quantiles
};

struct ConditionedRow {
  std::string name;
  std::vector<NamedScore> scores;
};

// The rows of known_rows, in that order but for those that the image has no points for: none of
// points where there are not more measured pixels than the largest count. 25 points are the first 25
// of the 50 and so on. All rows of points are judged on the same ground truth, outside the largest
// set (and the largest active one), those of beams outside the largest set of beams: accuracy on all
// of it, intervals on truth_points of it, as new measurements (with their noise). A median scale is
// that of the largest set of known points, or of beams.
std::vector<ConditionedRow> score_conditioned(const std::string& model,
                                              const StructuredGaussian& gaussian,
                                              const MeasuredImage& depths,
                                              const KnownRequest& request,
                                              const TruthFits& fits,
                                              const EvaluationConfig& evaluation);

}  // namespace supn
