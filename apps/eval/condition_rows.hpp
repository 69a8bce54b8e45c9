// How much known depths help, as rows of the table: accuracy of the conditional mean and of the
// best conditional sample on the ground truth that is held back.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/image_scores.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct KnownPoints {
  std::vector<std::int64_t> counts;  // ascending
  double relative_noise = 0.02;      // std of a known depth, relative to it
  std::uint64_t seed = 0;            // of the choice and of the samples
};

// "<model>, 25 points".
std::string known_row_name(const std::string& model, std::int64_t count);

// For each count its scores; nothing where there are not more measured pixels than the largest
// count. 25 points are the first 25 of the 50 and so on, chosen at random from depth_m [H,W]; all
// counts are judged on the same ground truth, outside the largest set. A median scale is that of
// the largest set of known points.
std::vector<std::pair<std::int64_t, std::vector<NamedScore>>> score_conditioned(
    const StructuredGaussian& gaussian,
    const at::Tensor& depth_m,
    const KnownPoints& known,
    const EvaluationConfig& evaluation);

}  // namespace supn
