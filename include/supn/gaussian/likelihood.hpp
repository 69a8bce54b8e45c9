// Density of dense predictions under a structured Gaussian, and the change of variables behind it.
//
//   whiten  z = Lᵀ(d − μ)          colour  d = μ + L⁻ᵀε         inverse to each other
//   log p(d) = −½‖Lᵀ(d − μ)‖² + Σ_n φ_n − (N/2)·log 2π
//   log det Λ = 2 Σ_n φ_n          entropy = (N/2)·log 2πe − Σ_n φ_n
//
// d, z, ε: [B,S,H,W]. Nats, summed over the pixels (divide by pixels() for nats per pixel); a
// density may exceed 1. Sums are accumulated in f64 in a fixed order (bits do not depend on batch,
// sample count or threads on the CPU) and returned in the Gaussian's dtype. Differentiable once in
// μ, φ, ψ and d. Throw c10::Error if d does not fit. See docs/method.md "The distribution".
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Returns z [B,S,H,W], independent standard normals if d was drawn from the Gaussian.
at::Tensor whiten(const StructuredGaussian& gaussian, const at::Tensor& d);

// Returns d [B,S,H,W], a draw from the Gaussian if eps is standard normal.
at::Tensor colour(const StructuredGaussian& gaussian, const at::Tensor& eps);

// Returns log densities [B,S] in nats.
at::Tensor log_prob(const StructuredGaussian& gaussian, const at::Tensor& d);

// Returns the log determinant [B] of the precision Λ.
at::Tensor log_determinant(const StructuredGaussian& gaussian);

// Returns entropies [B] in nats.
at::Tensor entropy(const StructuredGaussian& gaussian);

}  // namespace supn
