// Maps of classes of pixels, each on the grid of its own pixels, and the image that they make up.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

// maps: for each level, finest first, and at last for the coarsest grid, [B,n·C,h,w]: the C maps of
// the level's n classes in the order of Neighbourhood::classes, where pixel (i,j) of a class is at
// row i and column j. Rows and columns beyond a class's pixels, and classes that have no pixel in
// the image, are not read and get no gradient. → [B,C,H,W] of the size of `image` [B,1,H,W]. Throws
// c10::Error for another number of levels, or an image too small to have them all.
at::Tensor in_image_layout(const std::vector<at::Tensor>& maps,
                           const Neighbourhood& neighbourhood,
                           const at::Tensor& image);

}  // namespace supn
