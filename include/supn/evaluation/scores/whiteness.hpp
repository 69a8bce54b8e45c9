// The whitened members z = Lᵀ(d − μ) in figures that do not grow with the number of pixels, from
// the statistics of whitening_test.hpp: independent standard normals if the Gaussian is theirs.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct Whiteness {
  double mean = 0.0;             // 0 is right
  double variance = 0.0;         // mean z²; 1 is right, above: too sure, below: too careful
  double kurtosis = 0.0;         // mean z⁴/(mean z²)²; 3 is right
  double autocorrelation = 0.0;  // mean z·z'/mean z² of neighbours, of four lags the largest
};

// gaussian: one image; members [S,h,w].
Whiteness whiteness(const StructuredGaussian& gaussian, const at::Tensor& members);

// Mean z² over the pixels of each level of the order from coarse to fine, the finest first and the
// coarsest grid last: where a Gaussian that is right on the whole is too sure (above 1) or too
// careful. Empty in raster order. The same arguments.
std::vector<double> level_variances(const StructuredGaussian& gaussian, const at::Tensor& members);

}  // namespace supn
