#include <algorithm>

#include "gaussian/kernels/instruction_sets.hpp"
#include "gaussian/kernels/tile_kernels.hpp"

namespace supn::tile {
namespace {

// Vectors of four are in every instruction set, and a transposition of 4 × 4 takes few shuffles.
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

template void interleave<float>(float*, const float* const*, const Extent&);
template void interleave<double>(double*, const double* const*, const Extent&);
template void deinterleave<float>(float* const*, const float*, const Extent&);
template void deinterleave<double>(double* const*, const double*, const Extent&);

}  // namespace supn::tile
