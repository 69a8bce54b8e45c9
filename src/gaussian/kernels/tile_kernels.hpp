// The inner loops for many fields of one image at once: a tile holds a row of some samples side by
// side, element [x][lane], so that every sample is one lane of the vector registers. Plain
// pointers, no threads; T is float or double.
//
// Each lane is the chain of operations of one sample in the order of factor_rows.hpp, whatever the
// number of lanes and the width of the registers: the bits are those of one sample alone.
#pragma once

#include <cstdint>

#include "gaussian/kernels/factor_rows.hpp"

namespace supn::tile {

// Tiles are 8, 16 or 32 lanes wide.
inline constexpr std::int64_t kFewestLanes = 8;
template <typename T>
inline constexpr std::int64_t kMostLanes = 128 / static_cast<std::int64_t>(sizeof(T));

// to[x·lanes + lane] = from[lane][x] for x < count, and back. lanes is a multiple of 4.
struct Extent {
  std::int64_t count;
  std::int64_t lanes;
};
template <typename T>
void interleave(T* to, const T* const* from, const Extent& extent);
template <typename T>
void deinterleave(T* const* to, const T* from, const Extent& extent);

// One row of a substitution.
template <typename T>
struct Row {
  const T* const* finished;  // finished[dy − 1]: the solution dy rows away, dy ≤ reach
  std::int64_t reach;        // rows there are on that side, at most the radius
  const T* rhs;
  T* solution;
  std::int64_t lanes;
};

// acc ← rhs, minus every neighbour's product, times e^−φ, for the columns in the order of the
// substitution: from the right for kLater, from the left for kEarlier. image.diagonal is e^−φ.
template <Side kSide, typename T>
void substitute(const FactorImage<T>& image,
                std::int64_t y,
                const Row<T>& row,
                const Columns& columns);

// The same for columns whose whole window is inside the image, with the coefficients of the row
// side by side: weights[x·weight_lanes(r) + j], −ψ for j in the order of operations, then e^−φ,
// e^φ. Radius 1 and 2 only.
template <Side kSide, typename T>
void substitute_inside(const T* weights,
                       std::int64_t radius,
                       const Row<T>& row,
                       const Columns& columns);

// K + 2 coefficients and what rounds them up to a multiple of 4.
constexpr std::int64_t weight_lanes(std::int64_t radius) {
  return (2 * radius * (radius + 1) + 2 + 3) / 4 * 4;
}

// out ← Lᵀs − rhs for a row whose solution s is finished; image.diagonal is e^φ. The two forms of
// `substitute`.
template <typename T>
void residual(
    const FactorImage<T>& image, std::int64_t y, const Row<T>& row, const Columns& columns, T* out);
template <typename T>
void residual_inside(
    const T* weights, std::int64_t radius, const Row<T>& row, const Columns& columns, T* out);

// sums[lane] += Σ_x field[x·lanes + lane]² in f64, x < count.
template <typename T>
void add_squares(double* sums, const T* field, const Extent& extent);

// Turns the ψ of count columns of weights into −ψ and leaves the rest.
template <typename T>
void negate_products(T* weights, std::int64_t radius, std::int64_t count);

}  // namespace supn::tile
