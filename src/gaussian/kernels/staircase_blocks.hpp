// How the kernels of staircase_kernels.cpp read a strip: blocks of eight columns of eight rows, each
// row some columns behind the row before, transposed so that a step's eight pixels are neighbours.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gaussian/kernels/avx2.hpp"
#include "gaussian/kernels/elementary.hpp"
#include "gaussian/kernels/staircase_kernels.hpp"

#ifdef SUPN_AVX2
namespace supn::staircase {

// Columns that are asked for before their turn: the maps are more streams than a processor follows
// by itself.
inline constexpr std::int64_t kAhead = 64;

// The products of a pixel in their order, then φ, then the right-hand side.
template <std::int64_t kRadius>
struct Maps {
  static constexpr std::int64_t kProducts = 2 * kRadius * (kRadius + 1);
  static constexpr std::int64_t kInverse = kProducts;  // φ as read, then e^−φ
  static constexpr std::int64_t kRhs = kProducts + 1;
  static constexpr std::int64_t kDirect = kProducts + 2;  // e^φ, where residuals are wanted
  static constexpr std::int64_t kRead = kProducts + 2;
  static constexpr std::int64_t kSlots = kProducts + 3;

  static constexpr Offset offset(std::int64_t map) {
    constexpr std::int64_t kSpan = 2 * kRadius + 1;
    if (map >= kProducts) return {0, 0};
    if (map >= kRadius * kSpan) return {0, kProducts - map};
    return {kRadius - map / kSpan, map % kSpan - kRadius};
  }
};

// What a block's steps need: [step][slot][row].
template <std::int64_t kRadius>
struct Block {
  alignas(32) float values[kColumns][Maps<kRadius>::kSlots][kRows];
};

// kInside: everything a block needs is inside the image. kFirstRows: but for rows before the
// image's first, in the order of the substitution. kEdge: anything may be outside; that is 0.
enum class Place { kInside, kFirstRows, kEdge };

// rows[i][0 … 7] as columns[c][i]: transpose_square for rows in memory, whose halves meet while they
// are loaded; a solve on one thread took a tenth longer without.
SUPN_AVX2_INLINE void load_transposed(__m256 (&columns)[8], const float* const (&rows)[8]) {
  __m256 halves[8];
  for (int i = 0; i < 4; ++i) {
    for (int h = 0; h < 2; ++h) {
      halves[i + 4 * h] =
          _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[i] + 4 * h)),
                               _mm_loadu_ps(rows[i + 4] + 4 * h),
                               1);
    }
  }
  for (int h = 0; h < 8; h += 4) {
    const __m256 low = _mm256_unpacklo_ps(halves[h], halves[h + 1]);
    const __m256 high = _mm256_unpackhi_ps(halves[h], halves[h + 1]);
    const __m256 next_low = _mm256_unpacklo_ps(halves[h + 2], halves[h + 3]);
    const __m256 next_high = _mm256_unpackhi_ps(halves[h + 2], halves[h + 3]);
    columns[h] = _mm256_shuffle_ps(low, next_low, 0x44);
    columns[h + 1] = _mm256_shuffle_ps(low, next_low, 0xEE);
    columns[h + 2] = _mm256_shuffle_ps(high, next_high, 0x44);
    columns[h + 3] = _mm256_shuffle_ps(high, next_high, 0xEE);
  }
}

SUPN_AVX2_INLINE __m256i lane_bound(std::int64_t value) {
  return _mm256_set1_epi32(static_cast<int>(std::clamp<std::int64_t>(value, -1, kRows)));
}

// All ones in the lanes [begin, end).
SUPN_AVX2_INLINE __m256 lanes_between(std::int64_t begin, std::int64_t end) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_castsi256_ps(_mm256_andnot_si256(_mm256_cmpgt_epi32(lane_bound(begin), lane),
                                                 _mm256_cmpgt_epi32(lane_bound(end), lane)));
}

SUPN_AVX2_INLINE __m256 exponentials(const __m256& x, float sign) {
  alignas(32) float values[8];
  _mm256_store_ps(values, x);
  for (float& value : values) value = elementary::exponential(sign * value);
  return _mm256_load_ps(values);
}

// The maps and the right-hand side of one strip, block by block.
template <Side kSide, std::int64_t kRadius>
class BlockReader {
 public:
  static constexpr bool kBackwards = kSide == Side::kLater;
  static constexpr std::int64_t kLag = kRadius + 1;
  using Slots = Maps<kRadius>;

  explicit BlockReader(const Strip& strip)
      : width_(strip.image.width), first_(strip.first_row), height_(strip.image.height) {
    rows_ = std::min(kRows, height_ - first_);
    top_ = kBackwards ? height_ - first_ - rows_ : first_;
    for (std::int64_t i = 0; i < kRows; ++i) {
      const std::int64_t row = std::min(i, rows_ - 1);
      const std::int64_t in_strip = kBackwards ? rows_ - 1 - row : row;
      row_start_[i] = in_strip * width_;
      block_start_[i] = row_start_[i] + column(0, i);
    }
    for (std::int64_t map = 0; map < Slots::kProducts; ++map) {
      maps_[map] = strip.image.coefficient_row(Slots::offset(map), top_);
    }
    maps_[Slots::kInverse] = strip.image.diagonal_row(top_);
    maps_[Slots::kRhs] = strip.rhs;
  }

  // Rows of this strip that the image has.
  std::int64_t rows() const { return rows_; }
  std::int64_t top() const { return top_; }
  std::int64_t row_start(std::int64_t row) const { return row_start_[row]; }  // from top() on

  // The leftmost column of a block in one of its rows.
  std::int64_t column(std::int64_t block, std::int64_t row) const {
    const std::int64_t u = block * kColumns - row * kLag;
    return kBackwards ? width_ - kColumns - u : u;
  }
  std::int64_t start(std::int64_t block, std::int64_t row) const {
    return block_start_[row] + forward(block);
  }

  // Whether all pixels of a block have their whole windows between the image's sides.
  bool is_whole(std::int64_t block) const {
    return rows_ == kRows && block * kColumns >= (kRows - 1) * kLag + kRadius &&
           (block + 1) * kColumns <= width_ - kRadius;
  }

  template <Place kPlace>
  SUPN_AVX2_INLINE void read(std::int64_t map, std::int64_t block, Block<kRadius>& to) const {
    const std::int64_t dy = Slots::offset(map).dy;
    alignas(32) float copies[8][8];
    const float* rows[8];
    for (std::int64_t i = 0; i < kRows; ++i) {
      if constexpr (kPlace == Place::kEdge) {
        copy_inside(copies[i], map, block, i);
        rows[i] = copies[i];
      } else {
        rows[i] = maps_[map] + block_start_[i] + forward(block) +
                  (kPlace == Place::kFirstRows && i < dy ? 0 : shift(map));
      }
    }
    __m256 columns[8];
    load_transposed(columns, rows);
    for (std::int64_t step = 0; step < kColumns; ++step) {
      __m256 value = columns[kBackwards ? kColumns - 1 - step : step];
      if constexpr (kPlace == Place::kFirstRows) {
        value = _mm256_and_ps(value, lanes_between(dy, kRows));
      }
      _mm256_store_ps(to.values[step][map], value);
    }
  }

  // Every second row's line, as a line holds two blocks' columns.
  SUPN_AVX2_INLINE void prefetch(std::int64_t map, std::int64_t block) const {
    const float* from = maps_[map] + forward(block) + (kBackwards ? -kAhead : kAhead);
    for (std::int64_t i = block & 1; i < kRows; i += 2) __builtin_prefetch(from + block_start_[i]);
  }

 private:
  static constexpr std::int64_t forward(std::int64_t block) {
    return kBackwards ? -block * kColumns : block * kColumns;
  }

  // L's coefficients are read at the neighbour.
  std::int64_t shift(std::int64_t map) const {
    const Offset offset = Slots::offset(map);
    return kBackwards ? 0 : -(offset.dy * width_ + offset.dx);
  }

  // Row i's columns of the block, 0 where the pixel or its neighbour is outside the image.
  SUPN_AVX2_INLINE void copy_inside(float* to,
                                    std::int64_t map,
                                    std::int64_t block,
                                    std::int64_t i) const {
    const Offset offset = Slots::offset(map);
    const bool present = i < rows_ && first_ + i >= offset.dy;
    const std::int64_t x = column(block, i);
    const std::int64_t dx = kBackwards ? offset.dx : -offset.dx;
    const std::int64_t begin = std::max<std::int64_t>(0, -dx) - x;
    const std::int64_t end = std::min(width_, width_ - dx) - x;
    const __m256 inside = present ? lanes_between(begin, end) : _mm256_setzero_ps();
    const float* row = maps_[map] + row_start_[i] + (present ? shift(map) : 0);
    _mm256_store_ps(to, _mm256_maskload_ps(row + x, _mm256_castps_si256(inside)));
  }

  std::int64_t width_;
  std::int64_t first_;
  std::int64_t height_;
  std::int64_t rows_;
  std::int64_t top_;
  std::int64_t row_start_[kRows];
  std::int64_t block_start_[kRows];
  const float* maps_[Slots::kRead];
};

}  // namespace supn::staircase
#endif
