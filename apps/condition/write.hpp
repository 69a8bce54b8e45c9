// These functions write files and picture of one conditioned image.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <string_view>

#include "condition/options.hpp"
#include "inference/inputs.hpp"
#include "inference/output_place.hpp"
#include "supn/evaluation/depth/condition_image.hpp"

namespace supn {

// All that <out>/<name>/ may hold.
inline constexpr std::array<std::string_view, 9> kConditionFiles{"prior_mean.npy",
                                                                 "prior_std.npy",
                                                                 "mean.npy",
                                                                 "std.npy",
                                                                 "samples.npy",
                                                                 "known.csv",
                                                                 "info.json",
                                                                 "mean.png",
                                                                 "sample_*.png"};

// <out>/<name>/ with mean.npy, std.npy (exact; not by pcg), samples.npy, prior_mean.npy,
// prior_std.npy, known.csv, info.json and, for depth, mean.png and sample_0000.png, ... (16 bit):
// all of it or nothing. Then <out>/<name>.png: the known points, the prior's and the posterior's
// mean and std, and samples. rgb: uint8 [H,W,3] of any size, or undefined. Throws IoError.
void write_conditioned(const ConditionedImage& result,
                       const InputImage& image,
                       const at::Tensor& rgb,
                       const ConditionArguments& arguments,
                       const CalibrationFacts& calibration);

}  // namespace supn
