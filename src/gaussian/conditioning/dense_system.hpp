// A DenseSystem holds M as a dense matrix: covariance columns of the observed pixels by
// substitution, then Cholesky.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gaussian/conditioning/observation_system.hpp"
#include "gaussian/conditioning/system_report.hpp"
#include "gaussian/ops/ops.hpp"
#include "gaussian/sparse/pixel_rows.hpp"

namespace supn {

class DenseSystem : public ObservationSystem {
 public:
  // Returns nothing if M is numerically not positive definite. Of the options, prior_variance
  // (computed when it is needed where undefined) and columns are used.
  static std::unique_ptr<DenseSystem> make(const StructuredGaussian& gaussian,
                                           const ObservationSet& observations,
                                           const ConditioningOptions& options,
                                           SystemReport& report);

  at::Tensor correction(const at::Tensor& residuals) override;
  at::Tensor weights(const at::Tensor& residual, const at::Tensor& correction) override;
  double log_determinant() override;
  at::Tensor precision_diagonal() override;
  at::Tensor variance() override;

 private:
  DenseSystem(const StructuredGaussian& gaussian,
              const ObservationSet& observations,
              const at::Tensor& prior_variance,
              SystemReport& report)
      : gaussian_(gaussian),
        observations_(observations),
        prior_variance_(prior_variance),
        report_(report) {}
  at::Tensor observed_covariance();
  at::Tensor covariance_by_rows();
  // Returns Σ_·K w [1,S,H,W] for weights w [S,m].
  at::Tensor columns_times(const at::Tensor& weights) const;
  // Turns weights [S,m] of observations into weights [S,n] of the kept columns.
  at::Tensor on_columns(const at::Tensor& weights) const;
  at::Tensor square_sum_of_columns(const at::Tensor& weights) const;
  // C⁻¹ [m,m] for M = C Cᵀ.
  at::Tensor inverse_cholesky() const;

  const StructuredGaussian& gaussian_;
  const ObservationSet& observations_;
  at::Tensor prior_variance_;
  SystemReport& report_;
  at::Tensor cholesky_;
  // Where columns are kept, these hold all of them, and which row is an observation's.
  at::Tensor columns_;
  std::vector<std::int64_t> rows_;
  // From coarse to fine without columns: the observations' rows of L⁻ᵀ where they are few enough to
  // spare a substitution.
  std::unique_ptr<FactorGraph> graph_;
  std::unique_ptr<PixelRows> noise_rows_;
  TransposeSolver transpose_solver_;  // beside them
};

// Says how many fields of the Gaussian's size are worked on at once: about 32 MB.
std::int64_t fields_at_once(const StructuredGaussian& gaussian);

}  // namespace supn
