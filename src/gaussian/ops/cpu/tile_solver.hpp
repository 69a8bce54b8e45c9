// A substitution for a tile of samples: the kernels of tile_kernels.hpp run over the rows of an
// image and over the r + 1 rows of the tile that are still needed, which stay in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/tile_kernels.hpp"

namespace supn {

// Row y of a tile.
template <typename T>
struct TileRow {
  std::int64_t y;
  tile::Row<T> tile;
};

template <Side kSide, typename T>
class TileSolver {
 public:
  // diagonal: e^φ [H,W] for residuals, or nullptr.
  TileSolver(const FactorImage<T>& image, const T* diagonal, std::int64_t lanes)
      : image_(image),
        diagonal_(diagonal),
        lanes_(lanes),
        pitch_(row_pitch(image.width * lanes)),
        finished_(static_cast<std::size_t>(image.radius)),
        weights_(image.width * tile::weight_lanes(image.radius)),
        rows_((image.radius + 1) * pitch_) {}

  std::int64_t lanes() const { return lanes_; }

  // For every row in the order of the substitution: read(y) gives the right-hand side [W][lanes],
  // then write(row) sees the solution beside it. image.diagonal must be e^−φ.
  template <typename Read, typename Write>
  void solve(const Read& read, const Write& write) {
    for (std::int64_t i = 0; i < image_.height; ++i) {
      const std::int64_t y = kSide == Side::kLater ? image_.height - 1 - i : i;
      for (std::int64_t dy = 1; dy <= std::min(i, image_.radius); ++dy) {
        finished_[static_cast<std::size_t>(dy - 1)] = ring_row(i - dy);
      }
      const TileRow<T> row{
          y, {finished_.data(), std::min(i, image_.radius), read(y), ring_row(i), lanes_}};
      solve_row(row);
      write(row);
    }
  }

  // Lᵀs − rhs of the row that `write` just sees; diagonal is e^φ as given to the constructor.
  void residual(const TileRow<T>& row, T* out) const {
    FactorImage<T> image = image_;
    image.diagonal = diagonal_;
    for_each_part(row, [&](const Columns& columns, Part part) {
      if (part == Part::kInside) {
        tile::residual_inside<T>(weights_.data(), image.radius, row.tile, columns, out);
      } else {
        tile::residual<T>(image, row.y, row.tile, columns, out);
      }
    });
  }

 private:
  // Rows must not be whole pages apart: a load would wait for the store with the same offset.
  static std::int64_t row_pitch(std::int64_t count) {
    constexpr std::int64_t kPage = 4096 / static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t kShift = 832 / static_cast<std::int64_t>(sizeof(T));
    return (count + kPage - 1) / kPage * kPage + kShift;
  }

  T* ring_row(std::int64_t i) const { return rows_.data() + i % (image_.radius + 1) * pitch_; }

  enum class Part { kEdge, kInside };

  // f(columns, part) for the columns whose windows are cut by the image's edge and for the others,
  // in the order of the substitution.
  template <typename Function>
  void for_each_part(const TileRow<T>& row, const Function& f) const {
    const std::int64_t width = image_.width;
    const std::int64_t radius = image_.radius;
    const bool tuned = radius == 1 || radius == 2;
    if (!tuned || row.tile.reach < radius || width <= 2 * radius) {
      return f(Columns{0, width}, Part::kEdge);
    }
    const Columns left{0, radius};
    const Columns right{width - radius, width};
    f(kSide == Side::kLater ? right : left, Part::kEdge);
    f(Columns{radius, width - radius}, Part::kInside);
    f(kSide == Side::kLater ? left : right, Part::kEdge);
  }

  void solve_row(const TileRow<T>& row) {
    for_each_part(row, [&](const Columns& columns, Part part) {
      if (part == Part::kInside) {
        fill_weights(row.y, columns);
        tile::substitute_inside<kSide, T>(weights_.data(), image_.radius, row.tile, columns);
      } else {
        tile::substitute<kSide, T>(image_, row.y, row.tile, columns);
      }
    });
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
    from[j++] = image_.diagonal_row(y) + columns.begin;
    const T* last = diagonal_ == nullptr ? image_.diagonal : diagonal_;
    while (j < from.size()) from[j++] = last + y * image_.width + columns.begin;
    const std::int64_t lanes = tile::weight_lanes(radius);
    T* weights = weights_.data() + columns.begin * lanes;
    tile::interleave<T>(weights, from.data(), {columns.end - columns.begin, lanes});
    tile::negate_products<T>(weights, radius, columns.end - columns.begin);
  }

  FactorImage<T> image_;
  const T* diagonal_;
  std::int64_t lanes_;
  std::int64_t pitch_;
  std::vector<const T*> finished_;
  AlignedBuffer<T> weights_;
  AlignedBuffer<T> rows_;  // r + 1 solutions
};

}  // namespace supn
