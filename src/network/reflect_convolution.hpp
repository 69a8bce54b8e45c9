// The decoders' 3×3 convolution after reflection padding by 1, with its own backward pass.
//
// Composed of ATen's operations, autograd keeps x, the padded x and the convolution's result of
// every layer. Here x and the layer's own result are kept, which the layers around it keep anyway;
// the padding is made again in the backward pass.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

enum class Activation { kNone, kElu };

// x [B,C,H,W], H, W >= 2; weight [C',C,3,3], bias [C'] -> [B,C',H,W]. Differentiable once.
at::Tensor reflect_convolution(const at::Tensor& x,
                               const at::Tensor& weight,
                               const at::Tensor& bias,
                               Activation activation);

}  // namespace supn
