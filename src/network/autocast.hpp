// Bfloat16Convolutions means this for single layers. Without it, and for other dtypes than float32,
// nothing here does anything.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace supn {

// Returns x as a convolution reads it, for operations of ours, which ATen's own casts do not see.
// Undefined tensors stay so.
at::Tensor as_convolved(const at::Tensor& x);

// Returns the feature as a head reads it.
at::Tensor in_float32(const at::Tensor& feature);

// Operations are in their arguments' own dtype as long as it lives.
class WithoutAutocast {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

}  // namespace supn
