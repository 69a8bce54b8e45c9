// Classes of pixels and their neighbours are strided views of image tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/class_view.hpp"
#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

// One channel of a class: those of its pixels whose neighbour lies inside the image.
struct Tap {
  std::int64_t channel;
  std::int64_t row;     // of the first such pixel
  std::int64_t column;  // of the first such pixel
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  Offset offset;

  // These return views [B,C,rows,columns] of an image tensor.
  at::Tensor at_pixel(const at::Tensor& image) const;
  at::Tensor at_neighbour(const at::Tensor& image) const;
};

// The taps of a class that have any pixel, in channel order.
std::vector<Tap> taps(const PixelClass& pixels, const ImageSize& size);

}  // namespace supn
