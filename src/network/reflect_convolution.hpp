// The decoders' 3×3 convolution after reflection padding by 1, with its own backward pass.
//
// Composed of ATen's operations, autograd keeps x, the padded x and the convolution's result of
// every layer. Here x and the layer's own result are kept, which the layers around it keep anyway;
// the padding is made again in the backward pass.
//
// Maps that are the same for every image (coordinates) are convolved apart and once: joined to x,
// they would be copied for each image, have a gradient computed that nobody wants, and leave
// oneDNN with a number of channels that isn't a multiple of 8, which it reorders five times slower.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

enum class Activation { kNone, kElu };

// x [B,C,H,W], H, W >= 2; common [1,D,H,W] or undefined (D = 0), whose channels follow x's; weight
// [C',C+D,3,3], bias [C'] -> [B,C',H,W]. Differentiable once, in all but `common`.
at::Tensor reflect_convolution(const at::Tensor& x,
                               const at::Tensor& common,
                               const at::Tensor& weight,
                               const at::Tensor& bias,
                               Activation activation);

}  // namespace supn
