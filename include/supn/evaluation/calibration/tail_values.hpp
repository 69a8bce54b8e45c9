// What tails are fitted to (tails.hpp): ground-truth points against a Gaussian that knows some of
// them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/evaluation/calibration/truth_calibration.hpp"
#include "supn/gaussian/tails.hpp"

namespace supn {

// joint: of points in random order; logits and the variances of their noise [K]. The last `judged`
// points as new measurements, given the first `known`: deviations, and ratios of std given them to
// prior std, 1 at most. Throws c10::Error unless known and judged are positive and K or less together.
TailValues tail_values(const PointGaussian& joint,
                       const at::Tensor& logits,
                       const at::Tensor& noise_variance,
                       std::int64_t known,
                       std::int64_t judged);

}  // namespace supn
