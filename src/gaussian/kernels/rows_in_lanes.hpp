// This substitution solves for one sample of one image: a lane of the vector registers is an image
// row.
//
// A pixel waits for its neighbour in its own row, so a row alone is a chain of latencies. Here a
// strip of as many rows as there are lanes runs at once, each row `lag` columns behind the row
// before it, block after block of columns (lanes = 4, columns from left to right, t the step):
//
//     row 0   t t t t
//     row 1             …t t t t                    lag = lanes + r columns back, so that a block's
//     row 2                        …                windows end inside what earlier steps finished
//
// The part of finished rows is subtracted along each row, in vectors of neighbouring columns; then
// the blocks are transposed, and one step of the chain finishes a pixel of every row.
//
// A strip needs the last r rows of the strip before it, some columns ahead of its own: strips may
// run at once on several threads, each waiting for the progress of the one before.
#pragma once

#include <atomic>
#include <cstdint>

#include "gaussian/kernels/factor_view.hpp"

namespace supn {

// Finished blocks of the strip before (null: there is none) and of this one.
struct StripProgress {
  const std::atomic<std::int64_t>* before;
  std::atomic<std::int64_t>* own;
};

// Returns the number of rows of a strip on this processor: its lanes, at most 8.
template <typename T>
std::int64_t rows_of_strip();

// The strip's rows of L⁻ᵀb (kLater) or L⁻¹b (kEarlier), radius 1 or 2, any size.
template <typename T>
struct Strip {
  std::int64_t first_row;  // in the order of the substitution: 0 is the image's last for kLater
  const T* rhs;            // of the strip's rows alone, in memory order
  T* solution;             // [H,W] of the image
};
template <Side kSide, typename T>
void solve_rows_in_lanes(const FactorView<T>& view,
                         const Strip<T>& strip,
                         const StripProgress& progress);

}  // namespace supn
