// A substitution of one field of one image, for radius 1 and 2.
//
// A pixel waits for its neighbour in its own row, so one row alone is a chain of latencies. Here a
// few rows run at once, each some columns behind the one before: their chains fill each other's
// gaps, and what finished rows contribute is subtracted from a block of columns at once. The order
// of operations of a pixel is that of factor_rows.hpp.
#pragma once

#include "gaussian/kernels/factor_rows.hpp"

namespace supn::row {

// solution [H,W] ← L⁻ᵀb for kLater, L⁻¹b for kEarlier. image.diagonal is φ; b and solution may be
// the same array.
template <Side kSide, typename T>
void substitute_wavefront(const FactorImage<T>& image, const T* b, T* solution);

}  // namespace supn::row
