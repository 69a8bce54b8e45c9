// What one would write in LibTorch: Algorithm 1 and the likelihood by a convolution with one-hot
// filters, the likelihood by shifted products, and the dense multivariate normal.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "../competitor.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn::bench {

// [K,1,2r+1,2r+1]: channel k picks the neighbour at offset k.
at::Tensor one_hot_filters(const Neighbourhood& neighbourhood, const at::TensorOptions& options);

// Algorithm 1 from s = 0: s ← (b − Σ_k ψ_k ⊙ (s * one-hot_k))·e^−φ, with e^−φ made once. b and the
// result [1,S,H,W]; samples are the convolution's batch. Eager, without a graph.
at::Tensor conv2d_jacobi(const StructuredGaussian& gaussian,
                         const at::Tensor& b,
                         std::int64_t sweeps);

Competitor conv2d_jacobi_solve(const StructuredGaussian& gaussian,
                               const at::Tensor& b,
                               std::int64_t sweeps);

// The loss −mean_s log p(d_s) and its gradients in μ, φ and ψ; one unit is all of d [1,S,H,W].
Competitor conv2d_likelihood(const StructuredGaussian& gaussian, const at::Tensor& d);
Competitor shift_likelihood(const StructuredGaussian& gaussian, const at::Tensor& d);

// Any loss of leaves (μ, φ, ψ) with its gradients, computed and then dropped again.
using LossOf = at::Tensor (*)(const StructuredGaussian& gaussian, const at::Tensor& d);
Competitor loss_with_gradients(const std::string& name,
                               const std::string& settings,
                               const StructuredGaussian& gaussian,
                               const at::Tensor& d,
                               LossOf loss);

// The square root L⁻ᵀ of the covariance as a dense matrix made before; L⁻ᵀb is one product. This is
// what a dense multivariate normal with its scale_tril does. Small images only: N² words.
Competitor dense_normal_samples(const StructuredGaussian& gaussian, const at::Tensor& b);

}  // namespace supn::bench
