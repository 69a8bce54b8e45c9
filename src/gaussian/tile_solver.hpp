// A substitution for a tile of samples: the kernels of tile_kernels.hpp run over the rows of an
// image and over the r + 1 rows of the tile that are still needed, which stay in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "aligned_buffer.hpp"
#include "tile_kernels.hpp"

namespace supn {

template <Side kSide, typename T>
class TileSolver {
 public:
  TileSolver(const FactorImage<T>& image, std::int64_t lanes)
      : image_(image),
        lanes_(lanes),
        pitch_(row_pitch(image.width * lanes)),
        finished_(static_cast<std::size_t>(image.radius)),
        weights_(image.width * tile::weight_lanes(image.radius)),
        rows_((image.radius + 2) * pitch_) {}

  std::int64_t lanes() const { return lanes_; }

  // For every row in the order of the substitution: read(y, rhs) fills rhs [W][lanes], then
  // write(y, solution, rhs) sees the row's solution [W][lanes]. image.diagonal must be e^−φ.
  template <typename Read, typename Write>
  void solve(const Read& read, const Write& write) {
    for (std::int64_t i = 0; i < image_.height; ++i) {
      const std::int64_t y = kSide == Side::kLater ? image_.height - 1 - i : i;
      for (std::int64_t dy = 1; dy <= std::min(i, image_.radius); ++dy) {
        finished_[static_cast<std::size_t>(dy - 1)] = ring_row(i - dy);
      }
      T* rhs = rows_.data() + (image_.radius + 1) * pitch_;
      T* solution = ring_row(i);
      read(y, rhs);
      solve_row(y, {finished_.data(), std::min(i, image_.radius), rhs, solution, lanes_});
      write(y, solution, rhs);
    }
  }

 private:
  // Rows must not be whole pages apart: a load would wait for the store with the same offset.
  static std::int64_t row_pitch(std::int64_t count) {
    constexpr std::int64_t kPage = 4096 / static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t kShift = 832 / static_cast<std::int64_t>(sizeof(T));
    return (count + kPage - 1) / kPage * kPage + kShift;
  }

  T* ring_row(std::int64_t i) const { return rows_.data() + i % (image_.radius + 1) * pitch_; }

  void solve_row(std::int64_t y, const tile::Row<T>& row) {
    const std::int64_t width = image_.width;
    const std::int64_t radius = image_.radius;
    const bool tuned = radius == 1 || radius == 2;
    if (!tuned || row.reach < radius || width <= 2 * radius) {
      return tile::substitute<kSide, T>(image_, y, row, {0, width});
    }
    const Columns inside{radius, width - radius};
    const Columns left{0, radius};
    const Columns right{width - radius, width};
    fill_weights(y, inside);
    tile::substitute<kSide, T>(image_, y, row, kSide == Side::kLater ? right : left);
    tile::substitute_inside<kSide, T>(weights_.data(), radius, row, inside);
    tile::substitute<kSide, T>(image_, y, row, kSide == Side::kLater ? left : right);
  }

  void fill_weights(std::int64_t y, const Columns& columns) {
    const std::int64_t radius = image_.radius;
    std::array<const T*, tile::weight_lanes(2)> from;
    std::size_t j = 0;
    for (std::int64_t dy = radius; dy >= 1; --dy) {
      for (std::int64_t dx = -radius; dx <= radius; ++dx) {
        from[j++] = coefficient_at<kSide>(image_, {dy, dx}, y, columns.begin);
      }
    }
    for (std::int64_t dx = radius; dx >= 1; --dx) {
      from[j++] = coefficient_at<kSide>(image_, {0, dx}, y, columns.begin);
    }
    while (j < from.size()) from[j++] = image_.diagonal_row(y) + columns.begin;
    const std::int64_t lanes = tile::weight_lanes(radius);
    T* weights = weights_.data() + columns.begin * lanes;
    tile::interleave<T>(weights, from.data(), {columns.end - columns.begin, lanes});
    tile::negate_products<T>(weights, radius, columns.end - columns.begin);
  }

  FactorImage<T> image_;
  std::int64_t lanes_;
  std::int64_t pitch_;
  std::vector<const T*> finished_;
  AlignedBuffer<T> weights_;
  AlignedBuffer<T> rows_;  // r + 1 solutions, one right-hand side
};

}  // namespace supn
