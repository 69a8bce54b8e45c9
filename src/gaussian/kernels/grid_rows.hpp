// Products with a factor along one row of a level's grid (ops/cpu/plane_layout.hpp): Lᵀx, and what
// the row adds to Lx. Coefficients are read where the maps have them and parted by the phase of
// their columns in registers. Each element is a chain of fused multiply-adds in the order of the
// taps: the same bits for any number of samples and any instruction set.
#pragma once

#include <cstdint>
#include <span>

#include "gaussian/kernels/planes.hpp"

namespace supn::planes {

// What a coefficient multiplies: the pixel's own value or a neighbour's.
struct Tap {
  std::int64_t field;  // Its place in a sample, seen from the class's fields.
  std::int64_t begin;  // The class's pixels [begin, end) have it.
  std::int64_t end;
};

// Pixels j of a class; c_k[j], k over the channels, is element j·phases + phase of a channel's row.
template <typename T>
struct ClassProducts {
  const Tap* taps;     // one a channel
  std::int64_t begin;  // Pixels [begin, end) have all taps.
  std::int64_t end;
  const T* fields;
  T* z;
};

// The most elements of a row that are taken at once.
inline constexpr std::int64_t kBlock = 64;

template <typename T>
struct GridRow {
  std::span<const T* const> coefficients;     // a row of each channel
  std::span<const ClassProducts<T>> classes;  // of each phase: 1, 2 or 4
  // Unless null, the even elements of each channel's row are moved here, `coarser_apart` from each
  // other, instead of being multiplied. It may be the place of the coefficients themselves. Whole
  // blocks are written.
  T* coarser;
  std::int64_t coarser_apart;
};

// shape.length counts the pixels of the row.
//
// z[s·z_apart + j] = Σ_k c_k[j]·fields[tap_k + s·stride + j]. z is written, and fields are read, up
// to a vector beyond the class's last pixel.
void multiply(const GridRow<float>& row, const RowShape& shape, std::int64_t z_apart);
void multiply(const GridRow<double>& row, const RowShape& shape, std::int64_t z_apart);

// z[tap_k + s·stride + j] += c_k[j]·fields[tap_0 + s·stride + j], one k after the other. No place
// of z that is not a tap's is touched.
void scatter(const GridRow<float>& row, const RowShape& shape);
void scatter(const GridRow<double>& row, const RowShape& shape);

}  // namespace supn::planes
