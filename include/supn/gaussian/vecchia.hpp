// Vecchia's approximation of a Matérn field goes pixel by pixel: it is the regression of a pixel on
// its neighbours (simple kriging) in a stationary field of standard deviation 1 and length ℓ.
//
//   ρ(r) = e^−x                     ν = 1/2, x = r/ℓ
//   ρ(r) = (1 + x)·e^−x             ν = 3/2, x = √3·r/ℓ
//   ρ(r) = (1 + x + x²/3)·e^−x      ν = 5/2, x = √5·r/ℓ
//   w = C⁻¹c,  v = 1 − cᵀw          C, c: ρ among the neighbours, and between them and the pixel
//
// A factor with ψ_k = −w_k·e^φ and e^φ = 1/(σ√v) has the field's variance σ² and, within the reach
// of the neighbours, its correlations. C has 1e-9 added to its diagonal, which keeps close pixels
// of a smooth field positive definite.
#pragma once

#include <span>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

enum class Smoothness { kHalf, kThreeHalves, kFiveHalves };  // ν

// Returns the correlation at a distance in lengths ℓ.
double matern_correlation(Smoothness smoothness, double distance);

struct PixelRegression {
  std::vector<double> weights;  // w, one for each neighbour
  double variance;              // v
};

// length: in pixels.
PixelRegression regression_on(std::span<const Offset> neighbours,
                              Smoothness smoothness,
                              double length);

}  // namespace supn
