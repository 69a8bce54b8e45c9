// The system of y = d + c·s around that of d (CommonUnknown in conditioning.hpp), by one more
// right-hand side.
#pragma once

#include <memory>
#include <vector>

#include "gaussian/conditioning/observation_system.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn {

class CommonSystem final : public ObservationSystem {
 public:
  CommonSystem(std::unique_ptr<ObservationSystem> system,
               const CommonUnknown& common,
               const std::vector<std::int64_t>& pixels);

  at::Tensor correction(const at::Tensor& residuals) override;
  at::Tensor weights(const at::Tensor& residual, const at::Tensor& correction) override;
  double log_determinant() override;
  at::Tensor precision_diagonal() override;
  at::Tensor variance() override;
  // s given one residual [m].
  CommonEstimate estimate(const at::Tensor& residual) const;

 private:
  at::Tensor means(const at::Tensor& residuals) const;  // k of each [S,m]: [S]

  std::unique_ptr<ObservationSystem> system_;
  double prior_variance_;
  at::Tensor solved_;         // h [m]
  at::Tensor left_;           // c − u [1,1,H,W]
  double information_ = 0.0;  // c_Kᵀh
};

}  // namespace supn
