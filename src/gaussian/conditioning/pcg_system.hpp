// Conjugate gradients solve the precision form. The preconditioner is L_U·L_Uᵀ, the factor with the
// exactly known pixels cut out and the diagonal raised by the noisy observations: e^2φ + p in place
// of e^2φ.
#pragma once

#include "gaussian/conditioning/conjugate_gradients.hpp"
#include "gaussian/conditioning/precision_system.hpp"

namespace supn {

class PcgSystem : public PrecisionSystem {
 public:
  PcgSystem(const StructuredGaussian& gaussian,
            const ObservationSet& observations,
            const PcgLimits& limits,
            SystemReport& report);

 protected:
  at::Tensor solve(const at::Tensor& right_side) override;

 private:
  StructuredGaussian masked_;
  PcgLimits limits_;
  SystemReport& report_;
};

}  // namespace supn
