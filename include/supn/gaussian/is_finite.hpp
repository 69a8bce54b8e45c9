// Whether a Gaussian can be computed with: a network whose training went wrong gives maps of NaN.
#pragma once

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Tells whether μ, φ and ψ of all images hold finite values alone.
bool is_finite(const StructuredGaussian& gaussian);

}  // namespace supn
