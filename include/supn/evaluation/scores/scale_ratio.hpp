// The scale ratio tells whether a fixed scale (depth = scale/disparity) fits: it is the ratio of
// medians that a scale per image would be chosen by, against the fixed one.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "supn/evaluation/scores/accuracy.hpp"

namespace supn {

inline constexpr double kLargestScaleRatio = 2.0;

// median(ground truth) / median(scale/disparity) at the pixels that count: 1 where the scale fits.
// disparity [1,h,w]. Throws c10::Error if count() is 0.
double scale_ratio(const at::Tensor& disparity, const GroundTruth& truth, double scale);

// Tells whether the ratio is within a factor of 2; true for a ratio that is not a number, which
// other checks tell of.
bool is_plausible_scale_ratio(double ratio);

// "the measured depths are 6.12 times those predicted (medians) with scale 5.4".
std::string scale_ratio_text(double ratio, double scale);

}  // namespace supn
