// Which rows of coefficients and of a field meet in a row of the image: the neighbourhood, in the
// one order of operations (farthest row first, left to right; then the own row, nearest last).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

// One image's maps of the factor.
template <typename T>
struct FactorImage {
  const T* diagonal;      // e^φ or e^−φ, as the operator needs it
  const T* off_diagonal;  // ψ [K,H,W]
  std::int64_t height;
  std::int64_t width;
  std::int64_t radius;

  std::int64_t pixels() const { return height * width; }
  const T* diagonal_row(std::int64_t y) const { return diagonal + y * width; }
  const T* coefficient_row(const Offset& offset, std::int64_t y) const {
    const std::int64_t side = 2 * radius + 1;
    const std::int64_t k =
        offset.dy == 0 ? offset.dx - 1 : radius + (offset.dy - 1) * side + offset.dx + radius;
    return off_diagonal + k * pixels() + y * width;
  }
};

// Which neighbours: kLater are n + o_k with ψ read at n (Lᵀ), kEarlier are m − o_k with ψ read
// there (L).
enum class Side { kLater, kEarlier };

// One fused multiply-add of a whole row: acc ± coefficients·field.
template <typename T>
using AccumulateRow = void (*)(T* acc, const T* coefficients, const T* field, std::int64_t count);

template <typename T>
struct FieldRow {
  AccumulateRow<T> accumulate;
  const T* field;  // [H,W]
  T* acc;          // [W]
};

// The offset (dy, dx) in row y; neighbours outside the image are left out, not multiplied by 0.
template <Side kSide, typename T>
void accumulate_offset(const FactorImage<T>& image,
                       const Offset& offset,
                       std::int64_t y,
                       const FieldRow<T>& row) {
  const std::int64_t count = image.width - std::abs(offset.dx);
  if (count <= 0) return;
  constexpr std::int64_t kSign = kSide == Side::kLater ? 1 : -1;
  const std::int64_t start = std::max<std::int64_t>(0, -kSign * offset.dx);
  const std::int64_t neighbour = start + kSign * offset.dx;
  const std::int64_t neighbour_y = y + kSign * offset.dy;
  const T* coefficients = kSide == Side::kLater
                              ? image.coefficient_row(offset, y) + start
                              : image.coefficient_row(offset, neighbour_y) + neighbour;
  row.accumulate(
      row.acc + start, coefficients, row.field + neighbour_y * image.width + neighbour, count);
}

// All neighbours of row y that lie in other rows.
template <Side kSide, typename T>
void accumulate_other_rows(const FactorImage<T>& image, std::int64_t y, const FieldRow<T>& row) {
  const std::int64_t rows = kSide == Side::kLater ? image.height - 1 - y : y;
  for (std::int64_t dy = std::min(image.radius, rows); dy >= 1; --dy) {
    for (std::int64_t dx = -image.radius; dx <= image.radius; ++dx) {
      accumulate_offset<kSide>(image, {dy, dx}, y, row);
    }
  }
}

// The neighbours in row y itself, nearest last.
template <Side kSide, typename T>
void accumulate_own_row(const FactorImage<T>& image, std::int64_t y, const FieldRow<T>& row) {
  for (std::int64_t dx = image.radius; dx >= 1; --dx) {
    accumulate_offset<kSide>(image, {0, dx}, y, row);
  }
}

}  // namespace supn
