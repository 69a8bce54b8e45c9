// The pixels of a class as a view of an image tensor.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

// Of an image tensor [B,C,H,W]: a view [B,C,rows,columns]. The class must have a pixel inside.
at::Tensor class_view(const PixelClass& pixels, const at::Tensor& image);

}  // namespace supn
