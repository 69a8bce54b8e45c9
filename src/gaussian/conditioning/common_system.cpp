#include "gaussian/conditioning/common_system.hpp"

#include <cmath>
#include <utility>

namespace supn {

CommonSystem::CommonSystem(std::unique_ptr<ObservationSystem> system,
                           const CommonUnknown& common,
                           const std::vector<std::int64_t>& pixels)
    : system_(std::move(system)), prior_variance_(common.std * common.std) {
  const at::Tensor observed = gathered(common.column, pixels);
  const at::Tensor explained = system_->correction(observed);
  solved_ = system_->weights(observed.squeeze(0), explained);
  left_ = common.column.sub(explained);
  information_ = observed.squeeze(0).dot(solved_).item<double>();
}

// std²/(1 + std²·c_Kᵀh) is 1/j, and is right for std = 0, too.
at::Tensor CommonSystem::means(const at::Tensor& residuals) const {
  return residuals.matmul(solved_).mul(prior_variance_ / (1.0 + prior_variance_ * information_));
}

CommonEstimate CommonSystem::estimate(const at::Tensor& residual) const {
  return {means(residual).item<double>(),
          std::sqrt(prior_variance_ / (1.0 + prior_variance_ * information_))};
}

at::Tensor CommonSystem::correction(const at::Tensor& residuals) {
  return system_->correction(residuals).add(left_.mul(means(residuals).view({1, -1, 1, 1})));
}

at::Tensor CommonSystem::weights(const at::Tensor& residual, const at::Tensor& correction) {
  const at::Tensor mean = means(residual);
  return system_->weights(residual, correction.sub(left_.mul(mean))).sub(solved_.mul(mean));
}

double CommonSystem::log_determinant() {
  return system_->log_determinant() + std::log1p(prior_variance_ * information_);
}

at::Tensor CommonSystem::precision_diagonal() {
  return system_->precision_diagonal().sub(
      solved_.square(), prior_variance_ / (1.0 + prior_variance_ * information_));
}

at::Tensor CommonSystem::variance() {
  return system_->variance().add(left_.square(),
                                 prior_variance_ / (1.0 + prior_variance_ * information_));
}

}  // namespace supn
