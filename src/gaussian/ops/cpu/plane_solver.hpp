// Substitutions and sweeps in planes for a group of samples of one image, one buffer a sample,
// buffers of PlaneLayout::words() behind each other, margins cleared. No threads.
//
#pragma once

#include "gaussian/ops/cpu/plane_factor.hpp"

namespace supn::cpu {

// Buffers hold b and become L⁻ᵀb or L⁻¹b. The factor's diagonal is e^−φ. Where residual_squares is
// not nullptr, [S] of them become ‖Lᵀx − b‖².
template <typename T>
void solve_transpose_in_planes(const PlaneFactor<T>& factor,
                               std::int64_t b,
                               T* buffers,
                               std::int64_t samples,
                               double* residual_squares = nullptr);
template <typename T>
void solve_in_planes(const PlaneFactor<T>& factor,
                     std::int64_t b,
                     T* buffers,
                     std::int64_t samples);

// One Jacobi sweep of Lᵀs = b: next = (b − (Lᵀ − D)old)/D, with its copies; the diagonal is e^−φ.
template <typename T>
struct SweepBuffers {
  const T* b;
  T* old;
  T* next;
};
template <typename T>
void sweep_in_planes(const PlaneFactor<T>& factor,
                     std::int64_t b,
                     const SweepBuffers<T>& buffers,
                     std::int64_t samples);

}  // namespace supn::cpu
