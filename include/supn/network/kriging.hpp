// Where a factor in the order from coarse to fine starts: the regression of each pixel on its
// neighbours (simple kriging) in a stationary Matérn field of standard deviation σ and length ℓ.
//
//   ρ(r) = e^−x                     ν = 1/2, x = r/ℓ
//   ρ(r) = (1 + x)·e^−x             ν = 3/2, x = √3·r/ℓ
//   ρ(r) = (1 + x + x²/3)·e^−x      ν = 5/2, x = √5·r/ℓ
//   w⁰ = C⁻¹c     φ⁰ = −½ log σ²(1 − cᵀw⁰)     C, c: ρ among the neighbours, and between them and
//                                              the pixel
//
// A Gaussian with these maps is Vecchia's approximation of the field: its samples have the field's
// variance and, within the neighbours' reach on every level, its correlations. Pixels at a border
// are regressed on the neighbours that exist.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/image_size.hpp"
#include "supn/network/network_config.hpp"

namespace supn {

// Correlation at a distance in lengths ℓ.
double matern_correlation(Smoothness smoothness, double distance);

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
