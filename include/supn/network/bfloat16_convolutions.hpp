// Convolutions in bfloat16 take half the memory and on processors with matrix units run several
// times as fast. Eight bits of a number's fraction are kept, which features bear and a factor does
// not: the heads that make means, φ and ψ compute in float32 all the same, and with them all that
// follows.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>

namespace supn {

// Convolutions are in bfloat16 as long as it lives, in this thread, for forward passes of networks
// on this kind of device. Gradients take the same way back, wherever that is done. Parameters stay
// float32, and so do their gradients.
class Bfloat16Convolutions {
 public:
  explicit Bfloat16Convolutions(c10::DeviceType device);
  ~Bfloat16Convolutions();
  Bfloat16Convolutions(const Bfloat16Convolutions&) = delete;
  Bfloat16Convolutions& operator=(const Bfloat16Convolutions&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  at::ScalarType dtype_before_;
};

}  // namespace supn
