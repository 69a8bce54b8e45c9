// M as a dense matrix: covariance columns of the observed pixels by substitution, then Cholesky.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gaussian/conditioning/observation_system.hpp"

namespace supn {

class DenseSystem : public ObservationSystem {
 public:
  // Nothing if M is numerically not positive definite. prior_variance [1,1,H,W], or undefined:
  // computed when it is needed.
  static std::unique_ptr<DenseSystem> make(const StructuredGaussian& gaussian,
                                           const ObservationSet& observations,
                                           const at::Tensor& prior_variance);

  at::Tensor correction(const at::Tensor& residuals) override;
  at::Tensor weights(const at::Tensor& residual, const at::Tensor& correction) override;
  double log_determinant() override;
  at::Tensor precision_diagonal() override;
  at::Tensor variance() override;

 private:
  DenseSystem(const StructuredGaussian& gaussian,
              const ObservationSet& observations,
              at::Tensor prior_variance,
              at::Tensor cholesky)
      : gaussian_(gaussian),
        observations_(observations),
        prior_variance_(std::move(prior_variance)),
        cholesky_(std::move(cholesky)) {}
  // C⁻¹ [m,m] for M = C Cᵀ.
  at::Tensor inverse_cholesky() const;

  const StructuredGaussian& gaussian_;
  const ObservationSet& observations_;
  at::Tensor prior_variance_;
  at::Tensor cholesky_;
};

// How many fields of the Gaussian's size are worked on at once: about 32 MB.
std::int64_t fields_at_once(const StructuredGaussian& gaussian);

}  // namespace supn
