#include "gaussian/kernels/blocks.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/blocks.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include <cmath>

#include "gaussian/kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

using lanes::Blocks;
using lanes::Extent;
using lanes::kLanes;

using D = Tag<double, lanes::kLanes>;
using V = hn::VFromD<D>;
inline constexpr auto kInVector = static_cast<std::int64_t>(hn::MaxLanes(D()));
inline constexpr std::int64_t kVectors = kLanes / kInVector;

// A column of a block. Products are fused where a processor can, else rounded twice: libm's would
// take many times as long.
struct Column {
  HWY_INLINE void load(const double* from) {
    for (std::int64_t v = 0; v < kVectors; ++v) part[v] = hn::Load(D(), from + v * kInVector);
  }
  HWY_INLINE void store(double* to) const {
    for (std::int64_t v = 0; v < kVectors; ++v) hn::Store(part[v], D(), to + v * kInVector);
  }
  HWY_INLINE void scale(double factor) {
    for (V& v : part) v = hn::Mul(v, hn::Set(D(), factor));
  }
  HWY_INLINE void subtract(double factor, const Column& b) {
    const V broadcast = hn::Set(D(), factor);
    for (std::int64_t v = 0; v < kVectors; ++v) {
      part[v] = hn::NegMulAdd(broadcast, b.part[v], part[v]);
    }
  }
  V part[kVectors];
};

// Columns of C whose sums are in registers: as many as there are multiply-adds in flight.
inline constexpr std::int64_t kColumns = kVectors == 1 ? 8 : 4;

struct Tile {
  HWY_INLINE void load(const double* c) {
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kColumns; ++i) sums[i].load(c + i * kLanes);
  }
  HWY_INLINE void store(double* c) const {
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kColumns; ++i) sums[i].store(c + i * kLanes);
  }
  HWY_INLINE void subtract_products(const double* b, const double* a, std::int64_t step) {
    Column column;
    column.load(b);
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kColumns; ++i) sums[i].subtract(a[i * step], column);
  }
  Column sums[kColumns];
};

void subtract_product_kernel(double* c, const double* b, const Blocks& a, const Extent& extent) {
  for (std::int64_t i = 0; i < extent.columns; i += kColumns) {
    const double* row = a.data + i / kLanes * a.stride + i % kLanes;
    Tile tile;
    tile.load(c + i * kLanes);
    for (std::int64_t k = 0; k < extent.depth; ++k) {
      tile.subtract_products(b + k * kLanes, row + k * kLanes, 1);
    }
    tile.store(c + i * kLanes);
  }
}

void subtract_transposed_kernel(double* c, const double* b, const Blocks& a, const Extent& extent) {
  for (std::int64_t i = 0; i < extent.columns; i += kColumns) {
    const double* column = a.data + i * kLanes;
    Tile tile;
    tile.load(c + i * kLanes);
    for (std::int64_t k = 0; k < extent.depth; k += kLanes, column += a.stride) {
#pragma GCC unroll 8
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        tile.subtract_products(b + (k + lane) * kLanes, column + lane, kLanes);
      }
    }
    tile.store(c + i * kLanes);
  }
}

void divide_by_transpose_kernel(double* x, const double* square) {
  for (std::int64_t j = 0; j < kLanes; ++j) {
    const double* column = square + j * kLanes;
    Column solved;
    solved.load(x + j * kLanes);
    solved.scale(column[j]);
    solved.store(x + j * kLanes);
    for (std::int64_t k = j + 1; k < kLanes; ++k) {
      Column other;
      other.load(x + k * kLanes);
      other.subtract(column[k], solved);
      other.store(x + k * kLanes);
    }
  }
}

void divide_kernel(double* x, const double* square) {
  for (std::int64_t j = kLanes - 1; j >= 0; --j) {
    Column solved;
    solved.load(x + j * kLanes);
    solved.scale(square[j * kLanes + j]);
    solved.store(x + j * kLanes);
    for (std::int64_t k = 0; k < j; ++k) {
      Column other;
      other.load(x + k * kLanes);
      other.subtract(square[k * kLanes + j], solved);
      other.store(x + k * kLanes);
    }
  }
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn {

HWY_EXPORT(subtract_product_kernel);
HWY_EXPORT(subtract_transposed_kernel);
HWY_EXPORT(divide_by_transpose_kernel);
HWY_EXPORT(divide_kernel);

namespace lanes {

void subtract_product(double* c, const double* b, const Blocks& a, const Extent& extent) {
  HWY_DYNAMIC_DISPATCH(subtract_product_kernel)(c, b, a, extent);
}

void subtract_transposed(double* c, const double* b, const Blocks& a, const Extent& extent) {
  HWY_DYNAMIC_DISPATCH(subtract_transposed_kernel)(c, b, a, extent);
}

void divide_by_transpose(double* x, const double* square) {
  HWY_DYNAMIC_DISPATCH(divide_by_transpose_kernel)(x, square);
}

void divide(double* x, const double* square) { HWY_DYNAMIC_DISPATCH(divide_kernel)(x, square); }

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

void transpose_square(double* __restrict to, const double* __restrict from) {
  for (std::int64_t i = 0; i < kLanes; ++i) {
    for (std::int64_t j = 0; j < kLanes; ++j) to[i * kLanes + j] = from[j * kLanes + i];
  }
}

}  // namespace lanes
}  // namespace supn
#endif
