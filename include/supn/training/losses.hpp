// Training minimises these losses. Gaussians and predictions come finest scale first; all terms are
// scalars, differentiable in the Gaussians' tensors. d members' logits [B,S,h,w], N = h·w pixels.
//
//   ensemble_nll   Σ_scales mean_{B,S} −log p(d)/N                       nats per pixel per sample
//   warm-up L1     Σ_scales mean |μ − mean_s d|                          logits
//   std matching   Σ_scales mean_n (log σ_n − ½ log(mean_s (d_s−μ)² + t))²,  t = 2.5e-5
//   energy         Σ_scales ¼ mean_blocks (log(E[x²] + t) − log(E[(d−μ)²] + t))²
//   variogram      Σ_scales mean_offsets ¼ mean_blocks (log(E[(x_{n+o}−x_n)²] + t')
//                                                     − log(E[(v_{n+o}−v_n)²] + t'))²,  t' = 1e-6
//
// v = d−μ; the variogram's offset (0,0) stands for x² and v² themselves.
// In the last three μ is held fixed, so that they move the spread and not the mean. A likelihood
// alone does not see the marginals: samples may explode or shrink while it improves.
// See docs/method.md "Loss and training".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct EnsembleNll {
  at::Tensor total;  // sum over scales, bounded
  std::vector<at::Tensor>
      terms;  // per scale: −log-likelihood, nats per pixel per sample, not bounded
};

// An image whose log-likelihood at a scale exceeds `bound` (nats per pixel per sample) counts with
// the bound there and gets no gradient from it: a likelihood that runs away is no longer rewarded.
// Throws c10::Error if the numbers of scales or the shapes differ.
EnsembleNll ensemble_nll(std::span<const StructuredGaussian> gaussians,
                         std::span<const at::Tensor> predictions,
                         double bound = std::numeric_limits<double>::infinity());

// Returns one term per scale, mean |means − mean_s predictions|; means [B,1,h,w].
std::vector<at::Tensor> mean_l1(std::span<const at::Tensor> means,
                                std::span<const at::Tensor> predictions);

// local_log_std [B,1,h,w] per scale, the stationary std of the factored form
// (NetworkOutput::local_log_std). Throws c10::Error if one is undefined.
at::Tensor std_matching(std::span<const at::Tensor> local_log_std,
                        std::span<const StructuredGaussian> gaussians,
                        std::span<const at::Tensor> predictions);

struct EnergyOptions {
  std::int64_t samples = 4;
  std::int64_t block = 16;  // side at the finest scale; halved at each coarser one, at least 4
};

// Exact samples x = L⁻ᵀε, differentiable in φ and ψ through the solve: two triangular solves per
// sample. Works for any form of ψ. The noise of image b at scale s is keyed by (seeds[b], s).
at::Tensor energy_matching(std::span<const StructuredGaussian> gaussians,
                           std::span<const at::Tensor> predictions,
                           std::span<const std::uint64_t> seeds,
                           const EnergyOptions& options);

struct VariogramOptions {
  std::int64_t samples = 4;
  std::int64_t block = 16;  // as EnergyOptions::block
  // These lags are for the finest scale and halve at each coarser one; they go along rows, columns
  // and both diagonals.
  std::vector<std::int64_t> lags{1, 4, 16};
};

// The second-order structure of exact samples against that of the members' distances from μ:
// marginal variance, roughness and correlation lengths, which neither a likelihood nor energies
// see. Differentiable as energy_matching, with its noise.
at::Tensor variogram_matching(std::span<const StructuredGaussian> gaussians,
                              std::span<const at::Tensor> predictions,
                              std::span<const std::uint64_t> seeds,
                              const VariogramOptions& options);

// Returns d + std·ε, keyed like the noise above but independent of it. The noise bounds the
// likelihood, which is otherwise unbounded for more neighbours than members (docs/method.md
// "Unbounded likelihood"). std 0 returns d.
std::vector<at::Tensor> noisy_targets(std::span<const at::Tensor> predictions,
                                      std::span<const std::uint64_t> seeds,
                                      double std);

}  // namespace supn
