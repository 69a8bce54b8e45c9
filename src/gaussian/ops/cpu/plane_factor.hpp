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

// The maps of a batch, K + 1 channels an image: ψ_0 … ψ_{K−1}, then the diagonal. What couples a
// pixel to a neighbour outside the image is 0 there, whatever the map holds.
template <typename T>
class PlaneFactor {
 public:
  // Lᵀ reads a pixel's coefficients at the pixel, L at its dependants, in margins too.
  enum class Use { kTranspose, kBoth };

  // The diagonal's channel holds e^−φ.
  PlaneFactor(const PlaneLayout& layout, const FactorMaps& maps, Use use);

  const PlaneLayout& layout() const { return layout_; }
  std::int64_t channels() const { return channels_; }  // K
  // Channel k of image b, the diagonal for k = K.
  Channel<T> channel(std::int64_t b, std::int64_t k) const {
    return {data_ + b * (channels_ + 1) * layout_.words(), channels_ + 1, k};
  }
  // Returns channel k along a row of a plane.
  const T* coefficient_row(std::int64_t b,
                           std::int64_t k,
                           const PlaneLevel& level,
                           const Plane& plane,
                           std::int64_t row) const {
    return channel(b, k).at(
        plane.start - layout_.margin() + row * level.pitch, level.pitch, layout_.margin());
  }
  const T* diagonal_row(std::int64_t b,
                        const PlaneLevel& level,
                        const Plane& plane,
                        std::int64_t row) const {
    return coefficient_row(b, channels_, level, plane, row);
  }

  // Asks for all coefficients of a plane's row ahead of their use: one piece of memory.
  void prefetch_row(std::int64_t b,
                    const PlaneLevel& level,
                    const Plane& plane,
                    std::int64_t row) const {
    const std::int64_t begin = plane.start - layout_.margin() + row * level.pitch;
    const T* first = channel(b, 0).at(begin, level.pitch, 0);
    for (std::int64_t i = 0; i < (channels_ + 1) * level.pitch; i += kLine) {
      __builtin_prefetch(first + i);
    }
  }

  // Collects the terms of row `row` of a plane, ready for the kernels.
  void row_terms(std::int64_t b,
                 const PlaneLevel& level,
                 std::span<const PlaneTerm> terms,
                 std::int64_t row,
                 const T* field,
                 std::vector<planes::Term<T>>& result) const {
    result.clear();
    const std::int64_t offset = row * level.pitch;
    for (const PlaneTerm& term : terms) {
      result.push_back(
          {channel(b, term.channel)
               .at(term.coefficient_row + offset, level.pitch, term.coefficient_column),
           field + term.field + offset});
    }
  }

 private:
  static constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));

  void clear_outside(const Channel<T>& channel) const;

  const PlaneLayout& layout_;
  std::int64_t channels_;
  LargeBuffer storage_;
  T* data_;
};

// Apply L⁻ᵀ and L⁻¹ of image b in place, on the coarsest grid alone, in the planes of one sample,
// and L⁻ᵀ's residual ‖Lᵀx − b‖² is returned.
template <typename T>
double solve_coarsest_transpose(const PlaneFactor<T>& factor, std::int64_t b, T* buffer);
template <typename T>
void solve_coarsest(const PlaneFactor<T>& factor, std::int64_t b, T* buffer);

}  // namespace supn::cpu
