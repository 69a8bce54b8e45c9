// The pixels of a class as a view of an image tensor, and what is averaged over those of a level.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

// Of an image tensor [B,C,H,W]: a view [B,C,rows,columns]. The class must have a pixel inside.
at::Tensor class_view(const PixelClass& pixels, const at::Tensor& image);

// Means over the pixels of each level, finest first and the coarsest grid last, of all channels and
// images of a map [B,C,H,W]; scalars. Raster order has one level, the whole image.
std::vector<at::Tensor> mean_by_level(const Neighbourhood& neighbourhood, const at::Tensor& map);

}  // namespace supn
