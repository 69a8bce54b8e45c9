#include "gaussian/ops/cpu/plane_buffer.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "gaussian/kernels/planes.hpp"

namespace supn::cpu {
namespace {

template <typename T>
using Parts = std::array<T*, 4>;

// Returns row y of a level's grid, split by the phase of its columns.
template <typename T>
Parts<T> parts_of_row(const PlaneLayout& layout,
                      const PlaneLevel& level,
                      std::int64_t y,
                      const Channel<T>& buffer) {
  Parts<T> parts{};
  const std::int64_t p = layout.period();
  for (std::int64_t b = 0; b < p; ++b) {
    parts[static_cast<std::size_t>(b)] =
        buffer.at(layout.row_start(level, y % p, b, y / p), level.pitch, layout.margin());
  }
  return parts;
}

template <typename T>
T* coarsest_of(const PlaneLayout& layout, const Channel<T>& buffer) {
  return buffer.at(layout.coarsest_start(), layout.coarsest_pitch(), 0);
}

// run(columns of one phase in the finer level's copy, that copy's row, the coarser level's rows of
// every second phase) for each row y of the coarser level. Column X of the coarser grid is column
// 2X of the finer one: with period 4 its phases 0 and 2 hold the even and the odd X, of which each
// second one has the same phase.
template <typename T, typename Run>
void for_each_copied_row(const PlaneLayout& layout,
                         std::size_t level,
                         const Channel<T>& buffer,
                         const Run& run) {
  const PlaneLevel& finer = layout.levels()[level];
  const PlaneLevel& coarser = layout.levels()[level + 1];
  const auto half = static_cast<std::size_t>(layout.period() / 2);
  for (std::int64_t y = 0; y < coarser.grid_rows; ++y) {
    const Parts<T> fine = parts_of_row(layout, finer, 2 * y, buffer);
    const Parts<T> coarse = parts_of_row(layout, coarser, y, buffer);
    for (std::size_t b = 0; b < half; ++b) {
      const auto columns = coarser.grid_columns - static_cast<std::int64_t>(b);
      const std::int64_t length = half == 1 ? columns : (columns + 1) / 2;
      run(fine[2 * b], std::array<T*, 2>{coarse[b], coarse[b + half]}, length);
    }
  }
}

// run(value of the coarsest grid, its copy in the last level).
template <typename T, typename Run>
void for_each_coarsest(const PlaneLayout& layout, const Channel<T>& buffer, const Run& run) {
  const PlaneLevel& last = layout.levels().back();
  const std::int64_t p = layout.period();
  T* grid = coarsest_of(layout, buffer);
  for (std::int64_t i = 0; i < layout.coarsest().height; ++i) {
    const std::int64_t y = 2 * i + last.coarser;
    for (std::int64_t j = 0; j < layout.coarsest().width; ++j) {
      const std::int64_t x = 2 * j + last.coarser;
      run(*grid++,
          *buffer.at(
              layout.row_start(last, y % p, x % p, y / p), last.pitch, layout.margin() + x / p));
    }
  }
}

}  // namespace

template <typename T>
void clear_margins(const PlaneLayout& layout, const Channel<T>& buffer) {
  const std::int64_t p = layout.period();
  const std::int64_t margin = layout.margin();
  for (const PlaneLevel& level : layout.levels()) {
    for (std::int64_t a = 0; a < p; ++a) {
      for (std::int64_t b = 0; b < p; ++b) {
        const std::int64_t rows = level.grid_rows > a ? (level.grid_rows - a - 1) / p + 1 : 0;
        const std::int64_t columns =
            level.grid_columns > b ? (level.grid_columns - b - 1) / p + 1 : 0;
        for (std::int64_t i = -margin; i < level.plane_size / level.pitch - margin; ++i) {
          T* row = buffer.at(layout.row_start(level, a, b, i), level.pitch, 0);
          const bool inside = i >= 0 && i < rows;
          std::fill(row, row + (inside ? margin : level.pitch), T{0});
          if (inside) std::fill(row + margin + columns, row + level.pitch, T{0});
        }
      }
    }
  }
}

template <typename T>
void descend(const PlaneLayout& layout, std::size_t level, const Channel<T>& buffer) {
  if (level + 1 == layout.levels().size()) {
    for_each_coarsest(layout, buffer, [](T& grid, const T& copy) { grid = copy; });
    return;
  }
  for_each_copied_row(
      layout, level, buffer, [](const T* copy, std::array<T*, 2> rows, std::int64_t length) {
        planes::deinterleave(copy, length, std::span<T* const>(rows));
      });
}

template <typename T>
void lift(const PlaneLayout& layout, std::size_t level, const Channel<T>& buffer) {
  if (level + 1 == layout.levels().size()) {
    for_each_coarsest(layout, buffer, [](const T& grid, T& copy) { copy = grid; });
    return;
  }
  for_each_copied_row(
      layout, level, buffer, [](T* copy, std::array<T*, 2> rows, std::int64_t length) {
        const std::array<const T*, 2> parts{rows[0], rows[1]};
        planes::interleave(std::span<const T* const>(parts), length, copy);
      });
}

template <typename T>
void read_image(const PlaneLayout& layout, const T* image, const Channel<T>& buffer) {
  const auto [height, width] = layout.size();
  if (layout.levels().empty()) {
    std::copy_n(image, height * width, coarsest_of(layout, buffer));
    return;
  }
  clear_margins(layout, buffer);
  for (std::int64_t y = 0; y < height; ++y) {
    const Parts<T> parts = parts_of_row(layout, layout.levels().front(), y, buffer);
    planes::deinterleave(
        image + y * width,
        width,
        std::span<T* const>(parts.data(), static_cast<std::size_t>(layout.period())));
  }
  for (std::size_t level = 0; level < layout.levels().size(); ++level) {
    descend(layout, level, buffer);
  }
}

template <typename T>
void write_image(const PlaneLayout& layout, const Channel<T>& buffer, T* image) {
  const auto [height, width] = layout.size();
  if (layout.levels().empty()) {
    std::copy_n(coarsest_of(layout, buffer), height * width, image);
    return;
  }
  for (std::size_t level = layout.levels().size(); level-- > 0;) lift(layout, level, buffer);
  for (std::int64_t y = 0; y < height; ++y) {
    const Parts<T> rows = parts_of_row(layout, layout.levels().front(), y, buffer);
    const Parts<const T> parts{rows[0], rows[1], rows[2], rows[3]};
    planes::interleave(
        std::span<const T* const>(parts.data(), static_cast<std::size_t>(layout.period())),
        width,
        image + y * width);
  }
}

#define SUPN_INSTANTIATE(T)                                                     \
  template void clear_margins<T>(const PlaneLayout&, const Channel<T>&);        \
  template void descend<T>(const PlaneLayout&, std::size_t, const Channel<T>&); \
  template void lift<T>(const PlaneLayout&, std::size_t, const Channel<T>&);    \
  template void read_image<T>(const PlaneLayout&, const T*, const Channel<T>&); \
  template void write_image<T>(const PlaneLayout&, const Channel<T>&, T*);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::cpu
