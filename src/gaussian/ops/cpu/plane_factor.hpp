// A factor of the order from coarse to fine in planes, and groups of samples beside it.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gaussian/kernels/planes.hpp"
#include "gaussian/large_buffer.hpp"
#include "gaussian/ops/cpu/plane_buffer.hpp"
#include "gaussian/ops/cpu/plane_layout.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {

// The maps of a batch, one buffer a channel: ψ_0 … ψ_{K−1}, then the diagonal. What couples a pixel
// to a neighbour outside the image is 0 there, whatever the map holds.
template <typename T>
class PlaneFactor {
 public:
  // The diagonal's buffer holds e^{sign·φ}.
  PlaneFactor(const PlaneLayout& layout, const FactorMaps& maps, T sign);

  const PlaneLayout& layout() const { return layout_; }
  std::int64_t channels() const { return channels_; }  // K
  const T* off_diagonal(std::int64_t b, std::int64_t k) const { return channel(b, k); }
  const T* diagonal(std::int64_t b) const { return channel(b, channels_); }

  // Row i of a plane's terms, ready for the kernels: coefficients of image b, fields in `field`.
  void row_terms(std::int64_t b,
                 std::span<const PlaneTerm> terms,
                 std::int64_t row_offset,
                 const T* field,
                 std::vector<planes::Term<T>>& result) const {
    result.clear();
    for (const PlaneTerm& term : terms) {
      result.push_back({off_diagonal(b, term.channel) + term.coefficient + row_offset,
                        field + term.field + row_offset});
    }
  }

 private:
  const T* channel(std::int64_t b, std::int64_t k) const {
    return data_ + (b * (channels_ + 1) + k) * layout_.words();
  }
  void clear_outside(T* channel, std::int64_t k) const;

  const PlaneLayout& layout_;
  std::int64_t channels_;
  at::Tensor storage_;
  T* data_;
};

// work(channel, place of the neighbour) for the neighbours inside the coarsest grid of its pixel n.
template <typename Work>
void for_coarsest_neighbours(const PlaneLayout& layout, std::int64_t n, const Work& work) {
  const auto [height, width] = layout.coarsest();
  const std::int64_t stride = layout.coarsest_class().stride;
  const std::vector<Offset>& offsets = layout.coarsest_class().offsets;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const std::int64_t y = n / width + offsets[k].dy / stride;
    const std::int64_t x = n % width + offsets[k].dx / stride;
    if (y < height && x >= 0 && x < width) {
      work(static_cast<std::int64_t>(k), layout.coarsest_start() + y * width + x);
    }
  }
}

// L⁻ᵀ and L⁻¹ on the coarsest grid, in place, of image b.
template <typename T>
void solve_coarsest_transpose(const PlaneFactor<T>& factor, std::int64_t b, T* buffer);
template <typename T>
void solve_coarsest(const PlaneFactor<T>& factor, std::int64_t b, T* buffer);

// next = (b − (Lᵀ − D)x)/D on the coarsest grid; the diagonal is e^−φ.
template <typename T>
void sweep_coarsest(const PlaneFactor<T>& factor, std::int64_t b, const T* rhs, const T* x, T* next);

// result += Lᵀx or Lx on the coarsest grid without the diagonal.
template <typename T>
void add_coarsest_transpose(const PlaneFactor<T>& factor, std::int64_t b, const T* x, T* result);
template <typename T>
void add_coarsest(const PlaneFactor<T>& factor, std::int64_t b, const T* x, T* result);

}  // namespace supn::cpu
