// What a network's factors look like over the pixels of some images, and how well they whiten the
// members: the first places in which training goes wrong.
//
//   ρ = Σ_k |ψ_k| / e^φ   coupling of a pixel to its neighbours. Where it is above 1 the recursion
//                         behind sampling may grow instead of dying out.
//   φ                     log of the conditional precision's root; e^−φ is the std given all later
//                         pixels. Its extremes show a likelihood that runs away.
//   mean z², z = Lᵀ(d−μ)  1 if the Gaussian is right, below 1 if it is too careful, above if it is
//                         too sure of itself. Near 1 on training and far above on validation
//                         images: the covariance is over-fitted.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/serialization/event_file.hpp"

namespace supn {

// Finite values, counted between fixed limits.
class ValueHistogram {
 public:
  // Ascending; values above the last limit fall into a bucket of their own.
  explicit ValueHistogram(std::vector<double> limits);

  void add(const at::Tensor& values);
  // Without the empty buckets at both ends. Nothing was added: empty.
  HistogramEvent event() const;
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }

 private:
  std::vector<double> limits_;
  std::vector<double> counts_;
  double minimum_;
  double maximum_;
  double sum_ = 0.0;
  double sum_of_squares_ = 0.0;
};

// Of the pixels of one level of the order from coarse to fine.
struct LevelStatistics {
  double log_likelihood = 0.0;     // nats a pixel of the level and member
  double residual_variance = 0.0;  // mean z²
};

// Of the finest scale.
struct FactorStatistics {
  double residual_variance = 0.0;  // mean z² over pixels, members and images
  double coupled_share = 0.0;      // of the pixels, with ρ > 1
  double lowest_phi = 0.0;
  double highest_phi = 0.0;
  HistogramEvent phi;
  HistogramEvent psi;  // empty for radius 0
  HistogramEvent rho;
  // Finest level first, the coarsest grid last; empty in raster order.
  std::vector<LevelStatistics> levels = {};
};

class FactorAccumulator {
 public:
  FactorAccumulator();

  // log_prob [B,S] of the members [B,S,H,W] under the Gaussian, nats summed over pixels
  // (likelihood.hpp).
  void add(const StructuredGaussian& gaussian,
           const at::Tensor& members,
           const at::Tensor& log_prob);
  // Throws c10::Error if nothing was added.
  FactorStatistics statistics() const;

 private:
  void add_levels(const StructuredGaussian& gaussian, const at::Tensor& members);

  ValueHistogram phi_;
  ValueHistogram psi_;
  ValueHistogram rho_;
  double residual_variance_ = 0.0;       // summed over images
  std::vector<LevelStatistics> levels_;  // summed over images
  std::int64_t images_ = 0;
  std::int64_t pixels_ = 0;
  std::int64_t coupled_ = 0;
};

// Mean z² from the mean of φ and the members' mean log-likelihood per pixel, since
// log p / N = −½ mean z² + mean φ − ½ log 2π.
double residual_variance(double mean_phi, double log_likelihood_per_pixel);

}  // namespace supn
