// Exact samples on the CPU without a tensor of noise: a sample is a solve whose right-hand side is
// drawn while it is needed and whose solution gets the mean on its way to memory. No graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "gaussian/ops/ops.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn::cpu {

struct ExactSamples {
  at::Tensor values;  // μ + L⁻ᵀε [B,S,H,W]
  at::Tensor residual_squares;  // ‖LᵀL⁻ᵀε − ε‖² [B,S] f64; not finite if a value of L⁻ᵀε is not
  at::Tensor noise_squares;  // ‖ε‖² [B,S] f64
};

// mean [B,1,H,W], one seed per image; values and noise are bit for bit those of colour() and
// standard_normal(). Needs the result and a few rows per thread.
ExactSamples sample_exactly(const FactorMaps& factor,
                            const at::Tensor& mean,
                            std::span<const std::uint64_t> seeds,
                            const SampleRange& range);

}  // namespace supn::cpu

namespace supn::planes {

// Does the same for the order from coarse to fine; needs the result, the factor in planes and a
// group of samples per thread.
cpu::ExactSamples sample_exactly(const FactorMaps& factor,
                                 const at::Tensor& mean,
                                 std::span<const std::uint64_t> seeds,
                                 const SampleRange& range);

}  // namespace supn::planes
