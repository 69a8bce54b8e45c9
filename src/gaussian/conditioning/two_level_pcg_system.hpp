// M = Σ_KK + diag R solved by conjugate gradients, for the order from coarse to fine.
// Preconditioner in two levels, as in domain decomposition: the noise of the coarse levels, V_c, is
// common to all observations and kept whole; what else neighbours share is kept in blocks of some
// that follow each other along the curve (sparse/pixel_rows.hpp):
//
//   P = V_c V_cᵀ + B,  P⁻¹ = B⁻¹ − B⁻¹V_c (1 + V_cᵀB⁻¹V_c)⁻¹ V_cᵀB⁻¹  (Woodbury)
#pragma once

#include "gaussian/conditioning/conjugate_gradients.hpp"
#include "gaussian/conditioning/observation_system.hpp"

namespace supn {

class TwoLevelPcgSystem : public ObservationSystem {
 public:
  TwoLevelPcgSystem(const StructuredGaussian& gaussian,
                    const ObservationSet& observations,
                    const PcgLimits& limits,
                    SystemReport& report);

  at::Tensor correction(const at::Tensor& residuals) override;
  at::Tensor weights(const at::Tensor& residual, const at::Tensor& correction) override;

 private:
  // Rows of V_c of blocks of observations that follow each other.
  struct CoarsePart {
    at::Tensor noises;  // columns of V_c, int64 [blocks, c]
    at::Tensor rows;    // [blocks, n, c]
  };
  // Adds a part and what it gives to the lower triangle of 1 + V_cᵀB⁻¹V_c; coarse [blocks·n,C].
  void add_part(const at::Tensor& coarse, const at::Tensor& inverse, at::Tensor& capacitance);
  at::Tensor solve(const at::Tensor& residuals) const;  // M⁻¹e
  // These take and return values of observations by blocks, [blocks, S, n], and of coarse noise
  // [S,C].
  at::Tensor in_blocks(const at::Tensor& values) const;  // from and to [S,m]
  at::Tensor by_observation(const at::Tensor& blocks) const;
  at::Tensor coarse_transpose_times(const at::Tensor& blocks) const;
  at::Tensor coarse_times(const at::Tensor& noise) const;

  const StructuredGaussian& gaussian_;
  const ObservationSet& observations_;
  PcgLimits limits_;
  SystemReport& report_;
  std::vector<CoarsePart> coarse_;
  at::Tensor blocks_;           // B⁻¹ [blocks, n, n], the last one filled up with the identity
  at::Tensor coarse_cholesky_;  // of 1 + V_cᵀB⁻¹V_c
};

}  // namespace supn
