// A factor in the order from coarse to fine starts from Vecchia's approximation of a stationary
// Matérn field of standard deviation σ (gaussian/vecchia.hpp), w⁰ = w and φ⁰ = −½ log σ²v. Its
// samples have the field's variance and, within the neighbours' reach on every level, its
// correlations. Pixels at a border are regressed on the neighbours that exist.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/image_size.hpp"
#include "supn/network/network_config.hpp"

namespace supn {

// float32 on the CPU.
struct Kriging {
  at::Tensor log_diagonal;  // φ⁰ [1,1,H,W]
  at::Tensor weights;       // w⁰ [1,K,H,W], 0 where there is no neighbour
  at::Tensor neighbours;    // [1,K,H,W], 1 where the neighbour exists, else 0
};

// The field's length is in widths of the image. Throws c10::Error for a raster order.
Kriging kriging(const Neighbourhood& neighbourhood,
                const ImageSize& size,
                const StartingField& field);

}  // namespace supn
