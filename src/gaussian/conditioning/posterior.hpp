// A Posterior holds what a ConditionedGaussian works on: the problem, the options, and the systems
// built so far.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "gaussian/conditioning/common_system.hpp"
#include "gaussian/conditioning/conjugate_gradients.hpp"
#include "gaussian/conditioning/observation_set.hpp"
#include "gaussian/conditioning/observation_system.hpp"
#include "gaussian/sparse/nested_dissection.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn {

class Posterior {
 public:
  Posterior(const StructuredGaussian& gaussian,
            const Observations& observations,
            const ConditioningOptions& options);

  // Results go to the given Gaussian's device. The work in raster order is done on the CPU.
  const at::Device& device() const { return device_; }
  const StructuredGaussian& gaussian() const { return gaussian_; }
  const ObservationSet& observations() const { return observations_; }
  const ConditioningReport& report() const { return report_; }
  // Its column float64 on the Gaussian's device, or undefined.
  const CommonUnknown& common() const { return options_.common; }
  CommonEstimate common_estimate();

  // Returns Σ_·K M⁻¹ e [1,S,H,W] for residuals e [S,m], by the method of the options.
  at::Tensor correction(const at::Tensor& residuals);
  // Returns the correction of the mean, which is computed once.
  const at::Tensor& mean_correction();
  // Returns v − field_K of every sample, [S,m].
  at::Tensor residuals(const at::Tensor& field) const;
  // Returns the system for all but fields: dense or sparse if the options leave a choice.
  ObservationSystem& factored();

 private:
  const Dissection& dissection();
  ConditioningMethod first_choice();
  bool is_dense_small() const;  // within memory_limit
  // Returns the size of the factor that the order has besides kPcg, for messages.
  std::int64_t factor_bytes();
  at::Tensor pcg_correction(const at::Tensor& residuals);
  at::Tensor factored_correction(const at::Tensor& residuals);
  // The system itself, or the one that knows of the common unknown around it.
  std::unique_ptr<ObservationSystem> with_common(std::unique_ptr<ObservationSystem> system);
  void make_iterative();
  void make_dense();
  void make_sparse();

  at::Device device_;
  StructuredGaussian gaussian_;
  ObservationSet observations_;
  ConditioningOptions options_;
  ConditioningReport report_;
  std::optional<Dissection> dissection_;
  SystemReport pcg_report_;
  SystemReport factor_report_;
  std::unique_ptr<ObservationSystem> iterative_;
  std::unique_ptr<ObservationSystem> factored_;
  const CommonSystem* common_system_ = nullptr;  // the last of the two above that was made
  at::Tensor mean_correction_;
};

}  // namespace supn
