// Substitutions and products in planes for a group of samples of one image, one buffer a sample,
// buffers of PlaneLayout::words() behind each other, margins cleared. No threads.
//
// A level's steps run row by row, each `lag` rows behind the one before: a step then finds the rows
// that it needs finished, and what it reads is still in the cache.
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

// products = Lᵀx of one image's samples, row by row of a class or on the coarsest grid. The
// diagonal is e^φ.
template <typename T>
class TransposeProduct {
 public:
  TransposeProduct(
      const PlaneFactor<T>& factor, std::int64_t b, const T* x, T* products, std::int64_t samples)
      : factor_(factor), b_(b), x_(x), products_(products), samples_(samples) {}

  void row(const PlaneLevel& level, const Plane& plane, std::int64_t row);
  void coarsest();

 private:
  void scale(const T* diagonal, std::int64_t place, std::int64_t length);

  const PlaneFactor<T>& factor_;
  std::int64_t b_;
  const T* x_;
  T* products_;
  std::int64_t samples_;
  std::vector<planes::Term<T>> terms_;
};

// products = Lx in the planes of the classes and the coarsest grid. The diagonal is e^φ.
template <typename T>
void multiply_in_planes(
    const PlaneFactor<T>& factor, std::int64_t b, const T* x, T* products, std::int64_t samples);

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
