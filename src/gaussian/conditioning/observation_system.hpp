// The linear system of conditioning, M = Σ_KK + diag R over the observations K, behind one
// interface for the algorithms of conditioning.hpp. float64, one image, m > 0 observations, all on
// one device.
#pragma once

#include <ATen/core/Tensor.h>

#include "gaussian/conditioning/observation_set.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

class ObservationSystem {
 public:
  ObservationSystem() = default;
  ObservationSystem(const ObservationSystem&) = delete;
  ObservationSystem& operator=(const ObservationSystem&) = delete;
  virtual ~ObservationSystem() = default;

  // Returns Σ_·K M⁻¹ e [1,S,H,W] for residuals e [S,m].
  virtual at::Tensor correction(const at::Tensor& residuals) = 0;
  // Returns M⁻¹e [m] of one residual [m] whose correction [1,1,H,W] is known.
  virtual at::Tensor weights(const at::Tensor& residual, const at::Tensor& correction) = 0;

  // These need a factor: conjugate gradients, which have none, throw c10::Error.
  // Returns log det M.
  virtual double log_determinant();
  // Returns diag M⁻¹ [m].
  virtual at::Tensor precision_diagonal();
  // Returns diag(Σ − Σ_·K M⁻¹ Σ_K·) [1,1,H,W].
  virtual at::Tensor variance();
};

// Turns values [S,m] into [1,S,H,W]: Σ_i values[s,i] at pixel i, zero elsewhere.
at::Tensor scattered(const at::Tensor& values,
                     const std::vector<std::int64_t>& pixels,
                     const ImageSize& size);

// Returns the field [1,S,H,W] at the pixels: [S,m].
at::Tensor gathered(const at::Tensor& field, const std::vector<std::int64_t>& pixels);

// Returns Σ·field, field [1,S,H,W].
at::Tensor covariance_times(const StructuredGaussian& gaussian, const at::Tensor& field);

}  // namespace supn
