// Conditioning in precision form solves A·x = b over the pixels U that are not known exactly, with
// A = Λ_UU + diag p, p = Σ 1/R of the noisy observations of a pixel. How A is solved is left open.
#pragma once

#include "gaussian/conditioning/observation_system.hpp"

namespace supn {

class PrecisionSystem : public ObservationSystem {
 public:
  PrecisionSystem(const StructuredGaussian& gaussian, const ObservationSet& observations);

  at::Tensor correction(const at::Tensor& residuals) override;
  at::Tensor weights(const at::Tensor& residual, const at::Tensor& correction) override;

 protected:
  // Returns A⁻¹b for b [1,S,H,W], 0 at exactly known pixels, as the result is.
  virtual at::Tensor solve(const at::Tensor& right_side) = 0;

  // Returns A·x [1,S,H,W] for x [1,S,H,W], 0 at exactly known pixels.
  at::Tensor matrix_times(const at::Tensor& x) const;

  const StructuredGaussian& gaussian() const { return gaussian_; }
  const ObservationSet& observations() const { return observations_; }
  const at::Tensor& unknown() const { return unknown_; }  // [1,1,H,W], 1 on U, else 0
  const at::Tensor& added_precision() const { return added_precision_; }  // p [1,1,H,W], 0 off U

 private:
  const StructuredGaussian& gaussian_;
  const ObservationSet& observations_;
  at::Tensor is_exact_;          // [m], 1 or 0
  at::Tensor inverse_variance_;  // [m], 1/R; 0 for exact ones
  at::Tensor unknown_;
  at::Tensor added_precision_;
};

}  // namespace supn
