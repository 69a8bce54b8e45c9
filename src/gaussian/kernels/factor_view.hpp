// A factor's maps as the kernels read them, and the one order in which a pixel takes its
// neighbours.
//
// ψ_k[n] is stored at pixel n and couples n to n + o_k. Lᵀ reads it at the pixel itself and the
// field at the later pixel n + o_k; L reads it, and the field, at the earlier pixel n − o_k. Either
// way a pixel's terms are taken from the farthest row on, each row from dx = −r to r, then in its
// own row nearest last, then the diagonal. Every kernel keeps to this order: hence the same bits.
#pragma once

#include <cstdint>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

// One image's maps.
template <typename T>
struct FactorView {
  const T* log_diagonal;  // φ [H,W]
  const T* off_diagonal;  // ψ [K,H,W]
  std::int64_t height;
  std::int64_t width;
  std::int64_t radius;

  std::int64_t pixels() const { return height * width; }
};

// K = 2r(r + 1).
constexpr std::int64_t tap_count(std::int64_t radius) { return 2 * radius * (radius + 1); }

// Returns the offset of the j-th term.
constexpr Offset tap(std::int64_t radius, std::int64_t j) {
  const std::int64_t span = 2 * radius + 1;
  if (j >= radius * span) return {0, tap_count(radius) - j};
  return {radius - j / span, j % span - radius};
}

// Returns k of an offset's map ψ_k.
constexpr std::int64_t channel(std::int64_t radius, const Offset& offset) {
  if (offset.dy == 0) return offset.dx - 1;
  return radius + (offset.dy - 1) * (2 * radius + 1) + offset.dx + radius;
}

// Names the neighbours: kLater for Lᵀ and its solves, kEarlier for L and its.
enum class Side { kLater, kEarlier };

// The step from a pixel to its neighbour of offset o is kStep·o.
template <Side kSide>
inline constexpr std::int64_t kStep = kSide == Side::kLater ? 1 : -1;

// Rows that a row's neighbours can lie in: its radius, or what the image has on that side.
template <Side kSide, typename T>
std::int64_t rows_within_reach(const FactorView<T>& view, std::int64_t y) {
  const std::int64_t rows = kSide == Side::kLater ? view.height - 1 - y : y;
  return rows < view.radius ? rows : view.radius;
}

// Returns ψ of an offset for the pixels of row y: element x is what pixel (y, x) needs. Its
// neighbour must be inside the image.
template <Side kSide, typename T>
const T* coefficients(const FactorView<T>& view, const Offset& offset, std::int64_t y) {
  const T* map = view.off_diagonal + channel(view.radius, offset) * view.pixels();
  return kSide == Side::kLater ? map + y * view.width
                               : map + (y - offset.dy) * view.width - offset.dx;
}

}  // namespace supn
