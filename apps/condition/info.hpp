// A conditioned image has a JSON sidecar.
#pragma once

#include <string>

#include "condition/options.hpp"
#include "inference/inputs.hpp"
#include "supn/evaluation/depth/condition_image.hpp"

namespace supn {

// Says what was done with which numbers: quantity, unit, scale, noise, algorithm and its residual,
// evidence, gated points, scores on held-back points before and after.
std::string condition_info(const ConditionedImage& result,
                           const InputImage& image,
                           const ConditionArguments& arguments,
                           const CalibrationFacts& calibration);

}  // namespace supn
