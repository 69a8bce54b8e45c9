#include "tile_kernels.hpp"

#include <algorithm>

#include "instruction_sets.hpp"

namespace supn::tile {
namespace {

// The loops over lanes have a fixed length and no dependence between lanes: the compiler makes full
// vectors of them for every instruction set, which was as fast as vectors written by hand and needs
// no second source. Only transpositions are beyond it.
template <typename T>
struct Vector {
  using Four __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias)) = T;
};
template <typename T>
using Four = typename Vector<T>::Four;

// The square to[j·to_step + i] = from[i][j], i, j < 4, of rows or of one tile.
template <typename T>
SUPN_INLINE void transpose(Four<T> (&rows)[4]) {
  const Four<T> a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Four<T> b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Four<T> c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Four<T> d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Columns that are transposed before the next four rows come: whole cache lines of a row, since the
// rows of images of one size tend to fall into the same set of the cache. There are more rows than
// the processor's own prefetcher follows; each is asked for some columns before its turn.
constexpr std::int64_t kBlock = 128;
constexpr std::int64_t kAhead = 64;

}  // namespace

template <typename T>
SUPN_KERNEL void interleave(T* __restrict to, const T* const* from, const Extent& extent) {
  const std::int64_t lanes = extent.lanes;
  for (std::int64_t start = 0; start < extent.count; start += kBlock) {
    const std::int64_t end = std::min(start + kBlock, extent.count);
    for (std::int64_t lane = 0; lane < lanes; lane += 4) {
      const T* const in[4] = {from[lane], from[lane + 1], from[lane + 2], from[lane + 3]};
      std::int64_t x = start;
      for (; x + 4 <= end; x += 4) {
        if (x % 16 == 0) {
          for (const T* row : in) __builtin_prefetch(row + x + kAhead);
        }
        Four<T> square[4];
        for (int i = 0; i < 4; ++i) square[i] = *reinterpret_cast<const Four<T>*>(in[i] + x);
        transpose<T>(square);
        T* out = to + x * lanes + lane;
        for (int j = 0; j < 4; ++j) *reinterpret_cast<Four<T>*>(out + j * lanes) = square[j];
      }
      for (; x < end; ++x) {
        for (int i = 0; i < 4; ++i) to[x * lanes + lane + i] = in[i][x];
      }
    }
  }
}

template <typename T>
SUPN_KERNEL void deinterleave(T* const* to, const T* __restrict from, const Extent& extent) {
  const std::int64_t lanes = extent.lanes;
  for (std::int64_t start = 0; start < extent.count; start += kBlock) {
    const std::int64_t end = std::min(start + kBlock, extent.count);
    for (std::int64_t lane = 0; lane < lanes; lane += 4) {
      T* const out[4] = {to[lane], to[lane + 1], to[lane + 2], to[lane + 3]};
      std::int64_t x = start;
      for (; x + 4 <= end; x += 4) {
        if (x % 16 == 0) {
          for (const T* row : out) __builtin_prefetch(row + x + kAhead, 1);
        }
        const T* in = from + x * lanes + lane;
        Four<T> square[4];
        for (int j = 0; j < 4; ++j) square[j] = *reinterpret_cast<const Four<T>*>(in + j * lanes);
        transpose<T>(square);
        for (int i = 0; i < 4; ++i) *reinterpret_cast<Four<T>*>(out[i] + x) = square[i];
      }
      for (; x < end; ++x) {
        for (int i = 0; i < 4; ++i) out[i][x] = from[x * lanes + lane + i];
      }
    }
  }
}

namespace {

template <typename T>
SUPN_INLINE void subtract(T* __restrict acc, T weight, const T* field, std::int64_t lanes) {
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    acc[lane] = fused_multiply_add(-weight, field[lane], acc[lane]);
  }
}

template <Side kSide>
inline constexpr std::int64_t kStep = kSide == Side::kLater ? 1 : -1;

template <Side kSide, typename T>
SUPN_INLINE void substitute_pixel(const FactorImage<T>& image,
                                  std::int64_t y,
                                  const Row<T>& row,
                                  std::int64_t x) {
  const std::int64_t lanes = row.lanes;
  const auto inside = [&](std::int64_t column) { return column >= 0 && column < image.width; };
  T* acc = row.solution + x * lanes;
  std::copy_n(row.rhs + x * lanes, lanes, acc);
  for (std::int64_t dy = row.reach; dy >= 1; --dy) {
    for (std::int64_t dx = -image.radius; dx <= image.radius; ++dx) {
      const std::int64_t column = x + kStep<kSide> * dx;
      if (!inside(column)) continue;
      subtract(acc,
               *coefficient_at<kSide>(image, {dy, dx}, y, x),
               row.finished[dy - 1] + column * lanes,
               lanes);
    }
  }
  for (std::int64_t dx = image.radius; dx >= 1; --dx) {
    const std::int64_t column = x + kStep<kSide> * dx;
    if (!inside(column)) continue;
    subtract(
        acc, *coefficient_at<kSide>(image, {0, dx}, y, x), row.solution + column * lanes, lanes);
  }
  const T inverse = image.diagonal_row(y)[x];
  for (std::int64_t lane = 0; lane < lanes; ++lane) acc[lane] *= inverse;
}

// f(x) for the columns in the order of the substitution.
template <Side kSide, typename Function>
SUPN_INLINE void for_each_column(const Columns& columns, const Function& f) {
  if constexpr (kSide == Side::kLater) {
    for (std::int64_t x = columns.end - 1; x >= columns.begin; --x) f(x);
  } else {
    for (std::int64_t x = columns.begin; x < columns.end; ++x) f(x);
  }
}

template <Side kSide, std::int64_t kRadius, std::int64_t kLanes, typename T>
SUPN_INLINE void substitute_fixed(const T* __restrict weights,
                                  const Row<T>& row,
                                  const Columns& columns) {
  constexpr std::int64_t kTaps = 2 * kRadius * (kRadius + 1);
  constexpr std::int64_t kStride = kStep<kSide> * kLanes;
  const T* __restrict finished[kRadius];
  for (std::int64_t dy = 0; dy < kRadius; ++dy) finished[dy] = row.finished[dy];
  const T* __restrict rhs = row.rhs;
  T* solution = row.solution;
  for_each_column<kSide>(
      columns, [&](std::int64_t x) __attribute__((always_inline)) {
        const std::int64_t start = x * kLanes;
        T w[kTaps + 1];
        for (std::int64_t j = 0; j <= kTaps; ++j) w[j] = weights[x * weight_lanes(kRadius) + j];
        T* own = solution + start;
#pragma GCC ivdep
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
          T value = rhs[start + lane];
          std::int64_t j = 0;
#pragma GCC unroll 4
          for (std::int64_t dy = kRadius; dy >= 1; --dy) {
#pragma GCC unroll 8
            for (std::int64_t dx = -kRadius; dx <= kRadius; ++dx, ++j) {
              value =
                  fused_multiply_add(w[j], finished[dy - 1][start + dx * kStride + lane], value);
            }
          }
#pragma GCC unroll 4
          for (std::int64_t dx = kRadius; dx >= 1; --dx, ++j) {
            value = fused_multiply_add(w[j], own[dx * kStride + lane], value);
          }
          own[lane] = value * w[kTaps];
        }
      });
}

template <Side kSide, std::int64_t kRadius, typename T>
SUPN_INLINE void substitute_lanes(const T* weights, const Row<T>& row, const Columns& columns) {
  if (row.lanes == 8) return substitute_fixed<kSide, kRadius, 8>(weights, row, columns);
  if (row.lanes == 16) return substitute_fixed<kSide, kRadius, 16>(weights, row, columns);
  if constexpr (kMostLanes<T> == 32) substitute_fixed<kSide, kRadius, 32>(weights, row, columns);
}

}  // namespace

template <Side kSide, typename T>
SUPN_KERNEL void substitute(const FactorImage<T>& image,
                            std::int64_t y,
                            const Row<T>& row,
                            const Columns& columns) {
  for_each_column<kSide>(
      columns, [&](std::int64_t x) __attribute__((always_inline)) {
        substitute_pixel<kSide>(image, y, row, x);
      });
}

template <Side kSide, typename T>
SUPN_KERNEL void substitute_inside(const T* weights,
                                   std::int64_t radius,
                                   const Row<T>& row,
                                   const Columns& columns) {
  if (radius == 1) return substitute_lanes<kSide, 1>(weights, row, columns);
  substitute_lanes<kSide, 2>(weights, row, columns);
}

template <typename T>
SUPN_KERNEL void negate_products(T* weights, std::int64_t radius, std::int64_t count) {
  const std::int64_t lanes = weight_lanes(radius);
  const std::int64_t products = 2 * radius * (radius + 1);
  for (std::int64_t x = 0; x < count; ++x) {
    for (std::int64_t j = 0; j < products; ++j) weights[x * lanes + j] = -weights[x * lanes + j];
  }
}

#define SUPN_INSTANTIATE_SIDE(SIDE, T)                                     \
  template void substitute<SIDE, T>(                                       \
      const FactorImage<T>&, std::int64_t, const Row<T>&, const Columns&); \
  template void substitute_inside<SIDE, T>(const T*, std::int64_t, const Row<T>&, const Columns&);
#define SUPN_INSTANTIATE(T)                                          \
  template void interleave<T>(T*, const T* const*, const Extent&);   \
  template void deinterleave<T>(T* const*, const T*, const Extent&); \
  template void negate_products<T>(T*, std::int64_t, std::int64_t);  \
  SUPN_INSTANTIATE_SIDE(Side::kLater, T)                             \
  SUPN_INSTANTIATE_SIDE(Side::kEarlier, T)
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE
#undef SUPN_INSTANTIATE_SIDE

}  // namespace supn::tile
