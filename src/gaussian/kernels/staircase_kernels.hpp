// A substitution in float32 for one field of one image on a processor with AVX2: eight rows are the
// lanes of a vector register, each r + 1 columns behind the row before it, so that every step
// finishes a pixel of each row. To be called only where processor_has_avx2(), for radius 1 and 2.
//
// A strip of eight rows needs two rows of the strip before it, some columns ahead of its own: strips
// may run at once, each waiting for the progress of the one before. Maps are read as they are; a
// block of eight columns is transposed while the block before it is substituted. The order of
// operations of a pixel is that of factor_rows.hpp: the bits are those of every other kernel.
#pragma once

#include <atomic>
#include <cstdint>

#include "gaussian/kernels/factor_rows.hpp"

namespace supn::staircase {

inline constexpr std::int64_t kRows = 8;     // of a strip
inline constexpr std::int64_t kColumns = 8;  // of a block
inline constexpr std::int64_t kMostRadius = 2;

// Columns of an edge row before the image's first and after its last that must be readable.
inline constexpr std::int64_t kPad = 48;

// Blocks of a strip: its last row starts seven lags after its first.
constexpr std::int64_t block_count(std::int64_t width, std::int64_t radius) {
  return (width + (kRows - 1) * (radius + 1) + kColumns - 1) / kColumns;
}

struct Strip {
  FactorImage<float> image;  // with φ
  std::int64_t first_row;    // in the order of the substitution: 0 is the image's last for kLater
  const float* rhs;          // of the strip's rows alone, in memory order
  float* solution;           // [H,W] of the image
  const float* mean;         // [H,W], added to what is stored in `solution`; or null
  // Edge rows, pointing at column 0: the last row of the strip before this one and the last but
  // one, zero outside the image; and the same of this strip, to be written.
  const float* finished[kMostRadius];
  float* last[kMostRadius];
};

// Finished blocks of the strip before (null: there is none) and of this one.
struct Progress {
  const std::atomic<std::int64_t>* before;
  std::atomic<std::int64_t>* own;
};

// The strip's rows of L⁻ᵀb (kLater) or L⁻¹b (kEarlier), plus the mean.
template <Side kSide>
void substitute(const Strip& strip, const Progress& progress);

// Over the strip: ‖Lᵀs − b‖² and ‖b‖², in f64.
struct Squares {
  double residual;
  double rhs;
};

// The same for kLater with what its solution leaves.
Squares substitute_with_residual(const Strip& strip, const Progress& progress);

}  // namespace supn::staircase
