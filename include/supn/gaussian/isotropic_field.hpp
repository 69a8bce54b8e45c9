// A Gaussian process on the pixel grid that is the same everywhere and in all directions, and its
// regression on points: what anyone can do without a network's covariance.
//
//   value_i = f(pixel_i) + noise·η_i,   f of mean 0, Cov f(p), f(q) = std²·ρ(distance/length)
//   M = std²·ρ(D) + noise²·I        mean  std²·ρ(D_·K) M⁻¹v
//                                   variance  std² − diag(std²·ρ(D_·K) M⁻¹ std²·ρ(D_K·))
//
// with ρ(r) = e^(−r/length). float64, dense, on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "supn/image_size.hpp"

namespace supn {

struct IsotropicField {
  double std = 0.0;
  double length = 0.0;  // pixels
  double noise = 0.0;   // std of a point's own
};

// Values at pixels of one image.
struct FieldPoints {
  at::Tensor pixels;  // int64 [K], raster indices
  at::Tensor values;  // [K]
  std::int64_t width = 0;
};

// f given the points; K may be 0.
class IsotropicPosterior {
 public:
  // Throws c10::Error where M is not positive definite: points that coincide, without noise.
  IsotropicPosterior(const IsotropicField& field, const FieldPoints& points);

  at::Tensor mean(const ImageSize& size) const;         // [h,w], of the points' width
  at::Tensor variance(const at::Tensor& pixels) const;  // [P], without the noise

 private:
  at::Tensor covariance(const at::Tensor& pixels) const;  // of the points with these, [K,P]

  IsotropicField field_;
  FieldPoints points_;
  at::Tensor root_;     // of M
  at::Tensor weights_;  // M⁻¹v [K,1]
};

// Returns the field of the largest density of all images' points together, by a search over the
// length and the ratio of noise to std; the std is then known in closed form. Throws c10::Error
// without points.
IsotropicField fit_isotropic_field(std::span<const FieldPoints> images);

}  // namespace supn
