// A symmetric matrix over the pixels of an image that couples pixels near each other, and the
// precision Λ = L·Lᵀ of a structured Gaussian as one.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns the pixels that the precision of radius r couples with a pixel: the pixel first, then
// later ones in raster order, (0, 0 … 2r) and (1 … r, −2r … 2r).
std::vector<Offset> coupled_offsets(std::int64_t radius);

struct StencilMatrix {
  at::Tensor values;  // [C,H,W] float64: channel c at pixel n couples n and n + offsets[c]
  std::vector<Offset> offsets;

  ImageSize size() const { return {values.size(1), values.size(2)}; }
  // Returns the largest |dy| and |dx|.
  Offset reach() const { return {offsets.back().dy, offsets.back().dx}; }
};

// Takes one image in float64 on the CPU.
StencilMatrix precision_matrix(const StructuredGaussian& gaussian);

}  // namespace supn
