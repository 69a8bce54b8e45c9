// The exponential linear unit of the decoders: x > 0 ? x : eˣ − 1.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// Replaces y, and returns it: by ATen, or by FastElu's kernel.
at::Tensor elu_in_place(at::Tensor y);

// As long as it lives, and on its thread, elu_in_place takes a kernel of ours for float32 on the CPU
// where no gradient is recorded: within 2e-7 of the exact value, in a fraction of ATen's time. Else
// the bits are ATen's, which training, goldens and TorchScript share.
class FastElu {
 public:
  FastElu();
  ~FastElu();
  FastElu(const FastElu&) = delete;
  FastElu& operator=(const FastElu&) = delete;

 private:
  bool before_;
};

}  // namespace supn
