// A substitution in float32 for up to 32 samples of an image on a processor with AVX2: the kernels
// of strip_kernels.hpp run over pieces of an image row, eight samples at a time, so that the row's
// coefficients and the r + 1 rows of solutions that are still needed stay in the cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/avx2.hpp"
#include "gaussian/kernels/strip_kernels.hpp"

namespace supn {

inline bool strips_fit(std::int64_t radius) {
  return processor_has_avx2() && (radius == 1 || radius == 2);
}

// Eight samples in some columns of a row, arrays [column][8].
struct StripPart {
  std::int64_t strip;  // samples 8·strip, 8·strip + 1, …
  std::int64_t y;
  Columns columns;
};

// Asks for the lines that hold `columns` columns from each of eight pointers.
inline void prefetch_rows(const float* const* rows, std::int64_t columns) {
  for (std::int64_t lane = 0; lane < strip::kLanes; ++lane) {
    for (std::int64_t x = 0; x < columns; x += 16) __builtin_prefetch(rows[lane] + x, 0, 2);
  }
}

template <Side kSide>
class StripTile {
 public:
  // image.diagonal must be e^−φ; direct is e^φ [H,W], or any map where no residual is wanted.
  StripTile(const FactorImage<float>& image, const float* direct, std::int64_t strips)
      : image_(image),
        direct_(direct),
        strips_(strips),
        pitch_((image.width + 2 * kPad) * strip::kLanes),
        weights_(image.width * strip::weight_count(image.radius)),
        rows_((image.radius + 1) * strips * pitch_) {
    std::fill_n(rows_.data(), (image.radius + 1) * strips * pitch_, 0.0F);
  }

  // For every piece of every row in the order of the substitution: run(part, piece) is to fill
  // piece.rhs's array, to substitute, and to take the solution.
  template <typename Run>
  void solve(const Run& run) {
    const std::int64_t pieces = (image_.width + strip::kColumns - 1) / strip::kColumns;
    for (std::int64_t i = 0; i < image_.height; ++i) {
      const std::int64_t y = kSide == Side::kLater ? image_.height - 1 - i : i;
      strip::fill_weights<kSide>(weights_.data(), image_, direct_, y);
      for (std::int64_t k = 0; k < pieces; ++k) {
        const std::int64_t begin = (kSide == Side::kLater ? pieces - 1 - k : k) * strip::kColumns;
        const Columns columns{begin, std::min(begin + strip::kColumns, image_.width)};
        prefetch_maps(i + 1, k, pieces);
        for (std::int64_t s = 0; s < strips_; ++s)
          run(StripPart{s, y, columns}, piece(i, s, columns));
      }
    }
  }

 private:
  static constexpr std::int64_t kPad = strip::kMostRadius;  // columns of zeros at both ends

  // Row i of a strip, from its first column on.
  float* row(std::int64_t i, std::int64_t s) const {
    const std::int64_t rows = image_.radius + 1;
    return rows_.data() + ((i + rows) % rows * strips_ + s) * pitch_ + kPad * strip::kLanes;
  }

  strip::Piece piece(std::int64_t i, std::int64_t s, const Columns& columns) const {
    const std::int64_t offset = columns.begin * strip::kLanes;
    strip::Piece piece{weights_.data() + columns.begin * strip::weight_count(image_.radius),
                       {},
                       nullptr,
                       row(i, s) + offset,
                       columns.end - columns.begin,
                       image_.radius};
    for (std::int64_t dy = 1; dy <= image_.radius; ++dy) {
      piece.finished[dy - 1] = row(i - dy, s) + offset;
    }
    return piece;
  }

  // The maps are more streams than a processor follows by itself; a row of them is asked for while
  // the row before is in work: map after map, since memory is quick in long stretches only. This is
  // the share of piece k.
  void prefetch_maps(std::int64_t i, std::int64_t k, std::int64_t pieces) const {
    if (i >= image_.height) return;
    const std::int64_t y = kSide == Side::kLater ? image_.height - 1 - i : i;
    const std::int64_t products = 2 * image_.radius * (image_.radius + 1);
    const std::int64_t maps = products + 2;
    for (std::int64_t map = k * maps / pieces; map < (k + 1) * maps / pieces; ++map) {
      const float* from = map < products    ? image_.off_diagonal + map * image_.pixels()
                          : map == products ? image_.diagonal
                                            : direct_;
      for (std::int64_t x = 0; x < image_.width; x += 16) {
        __builtin_prefetch(from + y * image_.width + x, 0, 2);
      }
    }
  }

  FactorImage<float> image_;
  const float* direct_;
  std::int64_t strips_;
  std::int64_t pitch_;
  AlignedBuffer<float> weights_;
  AlignedBuffer<float> rows_;  // [r + 1][strips][kPad + W + kPad][8]
};

// Results of this many bytes don't stay in a cache.
inline constexpr std::int64_t kPastCachesBytes = std::int64_t{16} << 20;

// How a result [B,S,H,W] is to be stored.
template <typename T>
strip::Store store_of(const T* result, std::int64_t elements, std::int64_t width) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(result) % 64 == 0 && width % 16 == 0;
  const bool large = elements * static_cast<std::int64_t>(sizeof(T)) >= kPastCachesBytes;
  return aligned && large ? strip::Store::kPastCaches : strip::Store::kCached;
}

}  // namespace supn
