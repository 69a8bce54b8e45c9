// The inner loops of dense linear algebra in float64 on matrices stored by lanes: blocks of kLanes
// rows, in a block column after column, element (r, c) at [r/kLanes][c][r mod kLanes]. Pointers to
// such blocks start on a cache line; no threads. A column of a block is what one register (or two)
// holds, so products need no packing, and every result is one chain of multiply-adds in the order
// of the columns, whatever the number of threads.
//
// Not bit-identical between machines with and without fused multiply-adds.
#pragma once

#include <cstdint>

namespace supn::lanes {

inline constexpr std::int64_t kLanes = 8;
inline constexpr std::int64_t kSquare = kLanes * kLanes;

// A matrix stored by lanes; `stride` words from one block of rows to the next.
struct Blocks {
  const double* data;
  std::int64_t stride;
};

// Columns that a product fills and terms that it sums: multiples of kLanes.
struct Extent {
  std::int64_t columns;
  std::int64_t depth;
};

// C ← C − B·Aᵀ: c[i] −= Σ_k b[k]·A(i, k), i < columns, k < depth; c, b are blocks of rows.
void subtract_product(double* c, const double* b, const Blocks& a, const Extent& extent);

// C ← C − B·A: c[i] −= Σ_k b[k]·A(k, i).
void subtract_transposed(double* c, const double* b, const Blocks& a, const Extent& extent);

// Replaces a square on the diagonal by its Cholesky factor: the lower triangle by C with
// *reciprocals* on its diagonal, 0 above. False if a pivot is not positive.
bool factorize_square(double* square);

// X ← X·C⁻ᵀ and X ← X·C⁻¹ for kLanes columns of a block of rows and a factorised square.
void divide_by_transpose(double* x, const double* square);
void divide(double* x, const double* square);

// to(j, i) = from(i, j), squares.
void transpose_square(double* to, const double* from);

}  // namespace supn::lanes
