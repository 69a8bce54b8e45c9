// Precision form solved by conjugate gradients. Preconditioner: L_U·L_Uᵀ, the factor with the
// exactly known pixels cut out and the diagonal raised by the noisy observations: e^2φ + p in place
// of e^2φ.
#pragma once

#include "gaussian/conditioning/precision_system.hpp"

namespace supn {

struct PcgLimits {
  double tolerance;
  std::int64_t max_iterations;
};

// Over all solves so far.
struct PcgReport {
  std::int64_t iterations = 0;
  double relative_residual = 0.0;  // of the solution itself, not of the recursion
};

class PcgSystem : public PrecisionSystem {
 public:
  PcgSystem(const StructuredGaussian& gaussian,
            const ObservationSet& observations,
            const PcgLimits& limits);

  const PcgReport& report() const { return report_; }

  // These need a factor: throw c10::Error.
  double log_determinant() override;
  at::Tensor precision_diagonal() override;
  at::Tensor variance() override;

 protected:
  at::Tensor solve(const at::Tensor& right_side) override;

 private:
  at::Tensor times(const at::Tensor& x) const;           // A·x
  at::Tensor preconditioned(const at::Tensor& r) const;  // (L_U L_Uᵀ)⁻¹r

  StructuredGaussian masked_;
  PcgLimits limits_;
  PcgReport report_;
};

}  // namespace supn
