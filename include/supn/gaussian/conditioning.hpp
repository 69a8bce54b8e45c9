// Conditioning gives the Gaussian, exactly, once values of some pixels are measured: Bayes' rule
// for N(μ, Σ).
//
// Observation i says v_i = d[pixel i] + √R_i·η_i, R_i ≥ 0 its noise variance (0 = exact). With
// M = Σ_KK + diag R, residuals e = v − μ_K and weights α = M⁻¹e:
//
//   mean      μ + Σ_·K α                      variance  diag(Σ − Σ_·K M⁻¹ Σ_K·)
//   sample    s + Σ_·K M⁻¹(v + √R·η − s_K), s a draw of the prior (Matheron)
//   evidence  log p(v) = −½ eᵀα − ½ log det M − (|K|/2)·log 2π
//   distance  of v_i from what all other observations predict for it, in standard deviations:
//             |α_i| / √(M⁻¹)_ii; large ones are outliers
//
// The same in precision form, A = Λ_UU + diag(1/R) over all pixels U that are not known exactly:
// A·(x − μ)_U = −Λ_UK(v − μ)_K + e/R. Three ways of computing it:
//
//   kDense   covariance columns of K by substitution, Cholesky of M. Two substitutions and K²
//            words a pixel known; the best for few.
//   kSparse  raster order only: Cholesky of A ordered by nested dissection: some 300 words a pixel at
//            r = 2, whatever the number of noisy observations, the fewer the more pixels are known
//            exactly.
//   kPcg     conjugate gradients: in raster order on A, preconditioned by L with the known pixels cut
//            out, with no memory to speak of; it may need too many steps on smooth fields. From coarse
//            to fine on M, preconditioned by the noise of the coarse levels and blocks of
//            neighbours, some N/12 bytes an observation; the best for laser scans. Its residual is
//            measured, not believed. Gives mean and samples only.
//   kAuto    raster: of kDense and kSparse what is estimated to take less time, of those within
//            memory_limit; kPcg if neither is. The estimate counts multiply-adds, those of a
//            substitution tenfold: kDense while 10·K·N·(2r(r+1)+1) + K³/6 is less than what the
//            fronts of kSparse take (about 11 G at 192 × 640, r = 2) and 40,000 a pixel. From
//            coarse to fine kDense up to 4096 observations, for more kPcg, and kDense again if that
//            did not converge. What kPcg does not give comes from a factor.
//
// float64 throughout, no graph; results lie where the Gaussian does. Everything in raster order,
// and the matrix M of kDense in the other, is computed on the CPU. Duplicate pixels: noisy
// observations of one pixel add up; equal exact ones count once; exact ones that contradict each
// other are an error. See docs/method.md "Conditioning".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct Observations {
  at::Tensor pixels;               // int64 [M], raster indices y·W + x; M may be 0
  at::Tensor values;               // [M], in the quantity of the prediction
  at::Tensor noise_variance = {};  // [M], or one element for all, or undefined: exact
};

// What all observations share besides: the field is then y = d + c·s, with s ~ N(0, std²) independent
// of d, so that its prior is N(μ, Σ + std²·ccᵀ), and everything below is of y. With M₀ the matrix M of
// d alone, h = M₀⁻¹c_K, u = Σ_·K h and j = 1/std² + c_Kᵀh:
//
//   s has mean k = hᵀe/j and variance 1/j        mean of y      μ + Σ_·K M₀⁻¹e + k(c − u)
//   M⁻¹ = M₀⁻¹ − hhᵀ/j                           variance of y  that of d + (c − u)²/j
//
// One more right-hand side of M₀, by any method. A scale that is not known is such an s
// (evaluation/depth/unknown_scale.hpp).
struct CommonUnknown {
  at::Tensor column = {};  // c [1,1,H,W]; undefined: none
  double std = 0.0;        // of s, prior
};
struct CommonEstimate {
  double mean = 0.0;
  double std = 0.0;
};

enum class ConditioningMethod { kAuto, kDense, kSparse, kPcg };

struct ConditioningOptions {
  ConditioningMethod method = ConditioningMethod::kAuto;
  std::int64_t memory_limit = std::int64_t{4} << 30;  // bytes that a factor may take
  double tolerance = 1e-9;                            // ‖residual‖/‖right side‖; kPcg
  std::int64_t max_iterations = 200;                  // kPcg
  at::Tensor prior_variance = {};  // [1,1,H,W], marginal_variance where it is there already
  // kDense then takes the columns from here and keeps new ones, while the observed pixels are no
  // more than its capacity: observations that are there already cost products of matrices, no
  // substitution.
  std::shared_ptr<CovarianceColumns> columns = nullptr;
  // prior_variance and columns are of d, without it.
  CommonUnknown common = {};
};

// Reports the work done so far; numerical trouble is a value here, not an exception.
struct ConditioningReport {
  ConditioningMethod method = ConditioningMethod::kAuto;  // that gave mean and samples
  std::int64_t iterations = 0;                            // kPcg, largest of all solves
  // Largest of all solves, measured on the solution: ‖e − Mα‖/‖e‖ of kDense and of kPcg from coarse to
  // fine, in raster order that of A by kSparse and kPcg; infinite where it is not finite.
  double relative_residual = 0.0;
  bool converged = true;  // kPcg: the residual is within the tolerance; else it is finite
  std::string note;       // why kAuto took another method than its first choice; else empty
};

class Posterior;  // the algorithms, src/gaussian/conditioning/posterior.hpp

// Computes what is asked for when it is asked for; keeps factors. Not for use by several threads at
// once.
class ConditionedGaussian {
 public:
  // Throws c10::Error, naming what is wrong, if the Gaussian is not one image (use image(b)),
  // shapes or dtypes do not fit, a pixel is outside, a value or variance is not finite, a variance
  // is negative, exact values of one pixel differ, or the common unknown's column or std is none. The functions throw it if a factor would need
  // more than memory_limit, or a matrix is numerically not positive definite (smooth fields known
  // exactly at many pixels: give a noise variance).
  ConditionedGaussian(const StructuredGaussian& gaussian,
                      const Observations& observations,
                      const ConditioningOptions& options = {});
  ~ConditionedGaussian();
  ConditionedGaussian(ConditionedGaussian&&) noexcept;
  ConditionedGaussian& operator=(ConditionedGaussian&&) noexcept;

  // Returns the mean [1,1,H,W]; exactly known pixels have exactly their value.
  at::Tensor mean();

  // Returns the variance [1,1,H,W], exact; 0 at exactly known pixels. Not by kPcg (throws).
  at::Tensor variance();

  // Returns the prior's draws of `seed` (sample.hpp), conditioned: [1,S,H,W]. A sample does not
  // depend on the range it is drawn in, but for rounding.
  at::Tensor samples(std::uint64_t seed, const SampleRange& range);

  // Matheron's rule on draws [1,S,H,W] of the prior with standard normal noise [S,M] of the
  // observations.
  at::Tensor condition_draws(const at::Tensor& draws, const at::Tensor& noise);

  // Σ'x [1,S,H,W] for fields x [1,S,H,W], Σ' = Σ − Σ_·K M⁻¹ Σ_K· the covariance given the
  // observations: its columns for unit fields, xᵀΣ'x for the variance of a weighted sum.
  at::Tensor covariance_times(const at::Tensor& field);

  // Returns log p(v) in nats; 0 without observations. Not by kPcg (throws).
  double log_evidence();

  // Returns distances [M] in standard deviations, ≥ 0; 0 for an exact value that only repeats
  // another. Not by kPcg (throws); by kSparse only if every observation has noise (throws
  // otherwise), with fewer digits the smaller the noise is against the prior.
  at::Tensor distances();

  // s given the observations; the prior's without any, and 0 without an unknown.
  CommonEstimate common();

  const ConditioningReport& report() const;

 private:
  std::unique_ptr<Posterior> posterior_;
};

}  // namespace supn
