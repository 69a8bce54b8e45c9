#include "gaussian/kernels/lane_kernels.hpp"

#include <cmath>

#include "gaussian/kernels/instruction_sets.hpp"

namespace supn::lanes {
namespace {

constexpr std::int64_t kHalf = 4;

// Compiled as two registers of 16 bytes where there are none of 32.
using Vector = double __attribute__((vector_size(kHalf * sizeof(double)), may_alias));

SUPN_INLINE const Vector& vector(const double* p) { return *reinterpret_cast<const Vector*>(p); }
SUPN_INLINE Vector& vector(double* p) { return *reinterpret_cast<Vector*>(p); }

// Four columns of C: eight sums in registers, as many as the multiply-adds in flight.
struct Tile {
  Vector low[kHalf];
  Vector high[kHalf];
};

SUPN_INLINE void load(Tile& sums, const double* c) {
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < kHalf; ++i) {
    sums.low[i] = vector(c + i * kLanes);
    sums.high[i] = vector(c + i * kLanes + kHalf);
  }
}

SUPN_INLINE void store(const Tile& sums, double* c) {
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < kHalf; ++i) {
    vector(c + i * kLanes) = sums.low[i];
    vector(c + i * kLanes + kHalf) = sums.high[i];
  }
}

SUPN_INLINE void subtract_products(Tile& sums,
                                   const double* b,
                                   const double* a,
                                   std::int64_t step) {
  const Vector low = vector(b);
  const Vector high = vector(b + kHalf);
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < kHalf; ++i) {
    const double factor = a[i * step];
    sums.low[i] -= factor * low;
    sums.high[i] -= factor * high;
  }
}

}  // namespace

SUPN_KERNEL void subtract_product(double* c,
                                  const double* b,
                                  const Blocks& a,
                                  const Extent& extent) {
  for (std::int64_t i = 0; i < extent.columns; i += kHalf) {
    const double* row = a.data + i / kLanes * a.stride + i % kLanes;
    Tile sums;
    load(sums, c + i * kLanes);
    for (std::int64_t k = 0; k < extent.depth; ++k) {
      subtract_products(sums, b + k * kLanes, row + k * kLanes, 1);
    }
    store(sums, c + i * kLanes);
  }
}

SUPN_KERNEL void subtract_transposed(double* c,
                                     const double* b,
                                     const Blocks& a,
                                     const Extent& extent) {
  for (std::int64_t i = 0; i < extent.columns; i += kHalf) {
    const double* column = a.data + i * kLanes;
    Tile sums;
    load(sums, c + i * kLanes);
    for (std::int64_t k = 0; k < extent.depth; k += kLanes, column += a.stride) {
#pragma GCC unroll 8
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        subtract_products(sums, b + (k + lane) * kLanes, column + lane, kLanes);
      }
    }
    store(sums, c + i * kLanes);
  }
}

bool factorize_square(double* square) {
  for (std::int64_t j = 0; j < kLanes; ++j) {
    double* column = square + j * kLanes;
    if (!(column[j] > 0.0) || !std::isfinite(column[j])) return false;
    const double reciprocal = 1.0 / std::sqrt(column[j]);
    for (std::int64_t i = 0; i < j; ++i) column[i] = 0.0;
    column[j] = reciprocal;
    for (std::int64_t i = j + 1; i < kLanes; ++i) column[i] *= reciprocal;
    for (std::int64_t k = j + 1; k < kLanes; ++k) {
      for (std::int64_t i = k; i < kLanes; ++i) square[k * kLanes + i] -= column[k] * column[i];
    }
  }
  return true;
}

SUPN_KERNEL void divide_by_transpose(double* x, const double* square) {
  for (std::int64_t j = 0; j < kLanes; ++j) {
    const double* column = square + j * kLanes;
    const Vector low = vector(x + j * kLanes) * column[j];
    const Vector high = vector(x + j * kLanes + kHalf) * column[j];
    vector(x + j * kLanes) = low;
    vector(x + j * kLanes + kHalf) = high;
    for (std::int64_t k = j + 1; k < kLanes; ++k) {
      vector(x + k * kLanes) -= column[k] * low;
      vector(x + k * kLanes + kHalf) -= column[k] * high;
    }
  }
}

SUPN_KERNEL void divide(double* x, const double* square) {
  for (std::int64_t j = kLanes - 1; j >= 0; --j) {
    const Vector low = vector(x + j * kLanes) * square[j * kLanes + j];
    const Vector high = vector(x + j * kLanes + kHalf) * square[j * kLanes + j];
    vector(x + j * kLanes) = low;
    vector(x + j * kLanes + kHalf) = high;
    for (std::int64_t k = 0; k < j; ++k) {
      vector(x + k * kLanes) -= square[k * kLanes + j] * low;
      vector(x + k * kLanes + kHalf) -= square[k * kLanes + j] * high;
    }
  }
}

void transpose_square(double* __restrict to, const double* __restrict from) {
  for (std::int64_t i = 0; i < kLanes; ++i) {
    for (std::int64_t j = 0; j < kLanes; ++j) to[i * kLanes + j] = from[j * kLanes + i];
  }
}

}  // namespace supn::lanes
