// A decoder predicts the factor at one scale.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

struct FactorPrediction {
  at::Tensor log_diagonal;   // φ [B,1,h,w]
  at::Tensor off_diagonal;   // ψ [B,K,h,w]
  at::Tensor local_log_std;  // [B,1,h,w] for `factored` at radius 2, else undefined
};

}  // namespace supn
