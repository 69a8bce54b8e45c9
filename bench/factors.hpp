// The structured Gaussians that the benchmarks run on, from harmless to strongly coupled.
//
//   well  random signs, Σ|ψ| = e^φ/2 inside the image
//   m05   Vecchia factor of a Matérn field of smoothness ν = 1/2: every pixel's exact regression
//         on its neighbours in the order of the pixels. Correlation length 50 to 100 pixels and standard deviation 0.7
//         to 1.3, both varying over the image
//   m15   likewise, ν = 3/2
//   m25   likewise, ν = 5/2
//
// Matérn factors are what training converges to on smooth fields: in raster order of radius 2,
// Σ|ψ|/e^φ is 1.2-1.5, 2.7-3.3 and 3-4. All values are rounded to float32 before they are given in either dtype, so that every
// competitor solves the same problem. See docs/method.md "Test factors".
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string_view>

#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/image_size.hpp"

namespace supn::bench {

enum class FactorKind { kWell, kMatern05, kMatern15, kMatern25 };

// "well", "m05", "m15", "m25".
std::string_view factor_name(FactorKind kind);

// Correlation of two values `distance` apart in a Matérn field. Throws c10::Error for kWell.
double matern_correlation(FactorKind kind, double distance, double length);

// One image, in either order of pixels. The same values for the same arguments, always.
StructuredGaussian make_factor(FactorKind kind,
                               const ImageSize& size,
                               const Neighbourhood& neighbourhood,
                               at::ScalarType dtype);

}  // namespace supn::bench
