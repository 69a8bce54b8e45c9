// Derived quantities of a Gaussian that are linear in its values, with exact means and covariances.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "covariance/options.hpp"
#include "supn/evaluation/depth/depth_quantiles.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Turns places of the image into pixels of the maps.
struct PlaceGrid {
  ImageSize image;
  ImageSize maps;

  // Returns the raster index. Throws ConfigError naming `flag` if the place is outside.
  std::int64_t pixel(const Place& place, const std::string& flag) const;
};

struct Functionals {
  std::vector<std::string> names;
  at::Tensor weights;          // float64 [M,H,W]
  at::Tensor mean;             // [M]
  at::Tensor covariance;       // [M,M]
  at::Tensor independent_std;  // [M]: what pixels with the same marginals would give, were they
                               // independent
  // Holds the pair's own means, variances and covariance for differences of two pixels; else empty.
  std::vector<std::optional<LogitPairs>> pairs;

  bool empty() const { return names.empty(); }
  // Tells whether functional i is a weighted mean (weights that add up to 1), so that it has a
  // depth.
  bool is_mean(std::size_t i) const;
};

// All that --region, --difference and --functional ask for. variance [H,W]: the exact marginals.
// Throws ConfigError for a place outside or a box without an area, IoError for a file of another
// shape.
Functionals evaluate_functionals(const StructuredGaussian& gaussian,
                                 const at::Tensor& variance,
                                 const CovarianceArguments& arguments,
                                 const PlaceGrid& grid);

}  // namespace supn
