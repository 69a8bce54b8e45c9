// Is the joint distribution right, judged by members that it was not fitted to (those of held-out
// images)? Pixels by themselves, and linear functionals whose spread hangs on how pixels vary
// together: the means of 32 square regions on a grid, and the differences between 32 pairs of
// pixels an eighth of the shorter side apart. Independent pixels make regions far too sure.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/evaluation/calibration/calibration.hpp"
#include "supn/evaluation/fields/joint_field.hpp"

namespace supn {

// Deviations in standard deviations of the model.
struct MemberDeviations {
  at::Tensor pixels;       // [S,h,w]
  at::Tensor regions;      // [S,32]
  at::Tensor differences;  // [S,32]
};

// members [S,h,w] of the field's size; variance: as the field gives it.
MemberDeviations member_deviations(const JointField& field,
                                   const at::Tensor& variance,
                                   const at::Tensor& members);

// Weights float64 [32,h,w] of the region means, and of the differences.
at::Tensor region_weights(const ImageSize& size);
at::Tensor pair_weights(const ImageSize& size);

}  // namespace supn
