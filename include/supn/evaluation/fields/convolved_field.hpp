// A Gaussian field that no sparse factor makes: white noise smoothed by a kernel of each pixel's own
// (process convolution, Higdon 1998), and a little noise of each pixel besides.
//
//   x = μ + K w + ν·s∘ε            Σ = K Kᵀ + ν²·diag(s²)
//   K_nm = s_n·√(1 − ν²)·κ(t_nm)/‖κ(t_n·)‖,   κ(t) = (1 − t)² for t < 1, else 0
//   t_nm² = (|n − m|²/ℓ_n² + (g_n − g_m)²)/2.5²
//
// s is the marginal standard deviation exactly; the correlation falls to a half at a distance of about ℓ
// pixels, and across jumps of the feature g. A sample or a row of Σ costs about 20·ℓ² multiply-adds
// a pixel, at any size. The density needs Σ's dense root: at most 16·N² bytes and 4/3·N³ operations, once.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/evaluation/fields/joint_field.hpp"

namespace supn {

struct ConvolutionMaps {
  at::Tensor std;      // s [h,w], in the units of the field
  at::Tensor range;    // ℓ [h,w], pixels
  at::Tensor feature;  // g [h,w]
};

// The samples of a range that a seed gives.
struct SeededRange {
  std::uint64_t seed;
  SampleRange range;
};

class ConvolvedField final : public JointField {
 public:
  // What a sample adds to the mean, float64 [S,h,w] each: x = (μ + smooth) + own.
  struct Deviations {
    at::Tensor smooth;  // K w
    at::Tensor own;     // ν·s∘ε
  };

  // nugget: ν. Throws c10::Error unless all maps have one shape [h,w], s and ℓ are positive and ν is
  // within (0, 1).
  ConvolvedField(at::Tensor mean, const ConvolutionMaps& maps, double nugget);

  ImageSize size() const override { return {mean_.size(0), mean_.size(1)}; }
  at::Tensor mean() const override { return mean_; }
  at::Tensor variance() const override { return std_.square(); }
  FieldSamples samples(std::uint64_t seed, const SampleRange& range) const override;
  // Those of samples() for one range after the other, [ΣS,h,w]: K, which is most of the work for few
  // samples, is computed once for all of them.
  Deviations deviations(std::span<const SeededRange> ranges) const;
  // Up to kMostDensePixels.
  bool has_density() const override;
  at::Tensor log_prob(const at::Tensor& d) const override;
  at::Tensor functional_variance(const at::Tensor& weights) const override;
  at::Tensor covariance_rows(const at::Tensor& pixels) const override;

  // The Cholesky factor [N,N], lower, of Σ with the pixels in the order of columns: the image's first
  // column from the top, then the next one. It is kept for further calls, therefore this and log_prob
  // are not for several threads at once; both throw c10::Error without a density.
  const at::Tensor& dense_root() const;

 private:
  class Kernel;
  struct Strip;
  at::Tensor smooth(const at::Tensor& noise) const;        // K w of w [S,N]: [S,N]
  at::Tensor kernel_rows(const at::Tensor& pixels) const;  // K_i· [M,N]
  Strip strip(std::int64_t first) const;

  at::Tensor mean_;
  at::Tensor std_;
  at::Tensor range_;
  at::Tensor feature_;
  double nugget_;
  mutable at::Tensor root_;  // of Σ, once it is asked for
};

inline constexpr std::int64_t kMostDensePixels = 8192;

}  // namespace supn
