// A Gaussian whose covariance is a few directions and a diagonal, Σ = UᵀU + diag(D), and three ways
// of fitting one to the members of an ensemble on one image. With x_k the deviations of the S
// members from their mean, v their unbiased variance and C = Σ_k x_k x_kᵀ/(S − 1):
//
//   kDiagonal   D = v, no directions
//   kLowRank    ½ diag(v) + ½ C of the 10 largest principal components (fewer where S − 1 is less):
//               the form of Maddox et al., "A simple baseline for Bayesian uncertainty" (2019)
//   kShrinkage  (1 − λ)·C + λ·diag(v), λ by Schäfer and Strimmer (2005), target D
//
// A variance of 1e-8 (logits²) is added to D, so that pixels on which all members agree have a
// density. Everything in float64.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "supn/evaluation/fields/joint_field.hpp"
#include "supn/option_fields.hpp"

namespace supn {

class LowRankField final : public JointField {
 public:
  // mean, diagonal [h,w]; directions [R,h,w], R may be 0. Throws c10::Error for other shapes or a
  // diagonal that is not positive.
  LowRankField(at::Tensor mean, at::Tensor directions, at::Tensor diagonal);

  ImageSize size() const override { return {mean_.size(0), mean_.size(1)}; }
  at::Tensor mean() const override { return mean_; }
  at::Tensor variance() const override;
  FieldSamples samples(std::uint64_t seed, const SampleRange& range) const override;
  at::Tensor log_prob(const at::Tensor& d) const override;
  at::Tensor functional_variance(const at::Tensor& weights) const override;
  at::Tensor covariance_rows(const at::Tensor& pixels) const override;

 private:
  at::Tensor mean_;        // [h,w]
  at::Tensor directions_;  // U [R,N]
  at::Tensor diagonal_;    // D [N]
};

enum class EnsembleFit { kDiagonal, kLowRank, kShrinkage };

template <>
struct OptionNames<EnsembleFit> {
  static constexpr std::array<std::pair<std::string_view, EnsembleFit>, 3> values{
      {{"diagonal", EnsembleFit::kDiagonal},
       {"low_rank", EnsembleFit::kLowRank},
       {"shrinkage", EnsembleFit::kShrinkage}}};
};

// members [S,h,w], S >= 3.
LowRankField fit_to_ensemble(EnsembleFit fit, const at::Tensor& members);

// Returns Schäfer and Strimmer's λ for deviations [S,N], in [0, 1].
double shrinkage_intensity(const at::Tensor& deviations);

// Nats of each member under the fit to all others: [S]. Under the fit to all, itself included, it
// would say nothing. S >= 4.
at::Tensor leave_one_out_log_prob(EnsembleFit fit, const at::Tensor& members);

}  // namespace supn
