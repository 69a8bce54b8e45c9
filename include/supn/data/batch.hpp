// A step of training works on one batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace supn {

struct Batch {
  at::Tensor image;                     // float32 [B,3,H,W], RGB in [0,1]
  std::vector<at::Tensor> predictions;  // per scale, finest first: float32 [B,S,H/2^s,W/2^s]
  std::vector<at::Tensor> depth_m;      // B entries, each float32 [h,w] or undefined
  std::vector<std::string> names;       // B frame ids
};

}  // namespace supn
