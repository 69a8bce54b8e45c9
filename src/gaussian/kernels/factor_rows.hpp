// Which rows of coefficients and of a field meet in a row of the image: the neighbourhood, in the
// one order of operations (farthest row first, left to right; then the own row, nearest last).
#pragma once

#include <algorithm>
#include <cstdint>

#include "gaussian/kernels/factor_view.hpp"
#include "gaussian/kernels/row_kernels.hpp"
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

template <typename T>
FactorImage<T> image_of(const FactorView<T>& view) {
  return {view.log_diagonal, view.off_diagonal, view.height, view.width, view.radius};
}

// acc ± coefficients·field for a row, and for several coefficient rows at once, with the same sign.
template <typename T>
struct RowOperation {
  void (*products)(T* acc, const T* coefficients, const T* field, std::int64_t count);
  void (*window)(T* acc, const row::Window<T>& window, std::int64_t count);
};
template <typename T>
inline constexpr RowOperation<T> kAdd{row::add_products<T>, row::add_window<T>};
template <typename T>
inline constexpr RowOperation<T> kSubtract{row::subtract_products<T>, row::subtract_window<T>};

template <typename T>
struct FieldRow {
  RowOperation<T> operation;
  const T* field;  // [H,W]
  T* acc;          // [W]
};

// Columns [begin, end).
struct Columns {
  std::int64_t begin;
  std::int64_t end;
};

// Where ψ of an offset is, as pixel (y, x) needs it; its neighbour must be inside the image.
template <Side kSide, typename T>
const T* coefficient_at(const FactorImage<T>& image,
                        const Offset& offset,
                        std::int64_t y,
                        std::int64_t x) {
  if constexpr (kSide == Side::kLater) return image.coefficient_row(offset, y) + x;
  return image.coefficient_row(offset, y - offset.dy) + x - offset.dx;
}

// The window's first tap at column x of row y: where the coefficients and the field of an offset
// are.
template <Side kSide, typename T>
row::Window<T> window_at(const FactorImage<T>& image,
                         const Offset& offset,
                         std::int64_t y,
                         std::int64_t x,
                         const T* field) {
  constexpr std::int64_t kSign = kSide == Side::kLater ? 1 : -1;
  const std::int64_t neighbour_y = y + kSign * offset.dy;
  const std::int64_t neighbour_x = x + kSign * offset.dx;
  return {coefficient_at<kSide>(image, offset, y, x),
          image.pixels() + (kSide == Side::kLater ? 0 : -1),
          field + neighbour_y * image.width + neighbour_x,
          kSign,
          2 * image.radius + 1};
}

// The offset (dy, dx) in some columns of row y; neighbours outside the image are left out, not
// multiplied by 0.
template <Side kSide, typename T>
void accumulate_offset(const FactorImage<T>& image,
                       const Offset& offset,
                       std::int64_t y,
                       const Columns& columns,
                       const FieldRow<T>& row) {
  const std::int64_t shift = kSide == Side::kLater ? offset.dx : -offset.dx;
  const std::int64_t begin = std::max(columns.begin, -shift);
  const std::int64_t end = std::min(columns.end, image.width - shift);
  if (begin >= end) return;
  const row::Window<T> window = window_at<kSide>(image, offset, y, begin, row.field);
  row.operation.products(row.acc + begin, window.coefficients, window.field, end - begin);
}

// All neighbours of row y that lie in other rows. Where the whole window is inside the image it is
// taken at once, at the edges offset by offset: the order of operations of a pixel is the same.
template <Side kSide, typename T>
void accumulate_other_rows(const FactorImage<T>& image, std::int64_t y, const FieldRow<T>& row) {
  const std::int64_t rows = kSide == Side::kLater ? image.height - 1 - y : y;
  const std::int64_t radius = image.radius;
  const std::int64_t inside = std::max<std::int64_t>(radius, image.width - radius);
  for (std::int64_t dy = std::min(radius, rows); dy >= 1; --dy) {
    for (std::int64_t dx = -radius; dx <= radius; ++dx) {
      accumulate_offset<kSide>(image, {dy, dx}, y, {0, std::min(radius, image.width)}, row);
      accumulate_offset<kSide>(image, {dy, dx}, y, {inside, image.width}, row);
    }
    if (inside > radius) {
      row.operation.window(row.acc + radius,
                           window_at<kSide>(image, {dy, -radius}, y, radius, row.field),
                           inside - radius);
    }
  }
}

// The neighbours in row y itself, nearest last.
template <Side kSide, typename T>
void accumulate_own_row(const FactorImage<T>& image, std::int64_t y, const FieldRow<T>& row) {
  for (std::int64_t dx = image.radius; dx >= 1; --dx) {
    accumulate_offset<kSide>(image, {0, dx}, y, {0, image.width}, row);
  }
}

}  // namespace supn
