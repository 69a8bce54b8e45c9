#include "gaussian/ops/cpu/plane_buffer.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "gaussian/kernels/planes.hpp"

namespace supn::cpu {
namespace {

template <typename T>
using Parts = std::array<T*, 4>;

// Row y of a level's grid, split by the phase of its columns.
template <typename T>
Parts<T> parts_of_row(const PlaneLayout& layout, const PlaneLevel& level, std::int64_t y, T* buffer) {
  Parts<T> parts{};
  const std::int64_t p = layout.period();
  for (std::int64_t b = 0; b < p; ++b) {
    parts[static_cast<std::size_t>(b)] = buffer + layout.row_start(level, y % p, b, y / p);
  }
  return parts;
}

// run(columns of one phase in the finer level's copy, that copy's row, the coarser level's rows of
// every second phase) for each row y of the coarser level. Column X of the coarser grid is column 2X
// of the finer one: with period 4 its phases 0 and 2 hold the even and the odd X, of which each
// second one has the same phase.
template <typename T, typename Run>
void for_each_copied_row(const PlaneLayout& layout, std::size_t level, T* buffer, const Run& run) {
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
void for_each_coarsest(const PlaneLayout& layout, T* buffer, const Run& run) {
  const PlaneLevel& last = layout.levels().back();
  const std::int64_t p = layout.period();
  T* grid = buffer + layout.coarsest_start();
  for (std::int64_t i = 0; i < layout.coarsest().height; ++i) {
    const std::int64_t y = 2 * i + last.coarser;
    for (std::int64_t j = 0; j < layout.coarsest().width; ++j) {
      const std::int64_t x = 2 * j + last.coarser;
      run(*grid++, buffer[layout.row_start(last, y % p, x % p, y / p) + x / p]);
    }
  }
}

}  // namespace

template <typename T>
void clear_margins(const PlaneLayout& layout, T* buffer) {
  const std::int64_t p = layout.period();
  for (const PlaneLevel& level : layout.levels()) {
    for (std::int64_t plane = 0; plane < p * p; ++plane) {
      T* begin = buffer + level.start + plane * level.plane_size;
      const std::int64_t a = plane / p;
      const std::int64_t b = plane % p;
      const std::int64_t rows = level.grid_rows > a ? (level.grid_rows - a - 1) / p + 1 : 0;
      const std::int64_t columns = level.grid_columns > b ? (level.grid_columns - b - 1) / p + 1 : 0;
      T* end_of_row = begin;
      for (std::int64_t i = 0; i < rows; ++i) {
        T* row = buffer + layout.row_start(level, a, b, i);
        std::fill(end_of_row, row, T{0});
        end_of_row = row + columns;
      }
      std::fill(end_of_row, begin + level.plane_size, T{0});
    }
  }
}

template <typename T>
void read_finest(const PlaneLayout& layout, const T* image, T* buffer) {
  const auto [height, width] = layout.size();
  if (layout.levels().empty()) {
    std::copy_n(image, height * width, buffer + layout.coarsest_start());
    return;
  }
  for (std::int64_t y = 0; y < height; ++y) {
    const Parts<T> parts = parts_of_row(layout, layout.levels().front(), y, buffer);
    planes::deinterleave(image + y * width,
                         width,
                         std::span<T* const>(parts.data(), static_cast<std::size_t>(layout.period())));
  }
}

template <typename T>
void write_finest(const PlaneLayout& layout, const T* buffer, T* image) {
  const auto [height, width] = layout.size();
  if (layout.levels().empty()) {
    std::copy_n(buffer + layout.coarsest_start(), height * width, image);
    return;
  }
  for (std::int64_t y = 0; y < height; ++y) {
    const Parts<const T> parts = parts_of_row(layout, layout.levels().front(), y, buffer);
    planes::interleave(
        std::span<const T* const>(parts.data(), static_cast<std::size_t>(layout.period())),
        width,
        image + y * width);
  }
}

template <typename T>
void descend(const PlaneLayout& layout, std::size_t level, T* buffer) {
  if (level + 1 == layout.levels().size()) {
    for_each_coarsest(layout, buffer, [](T& grid, const T& copy) { grid = copy; });
    return;
  }
  for_each_copied_row(layout, level, buffer, [](const T* copy, std::array<T*, 2> rows,
                                                std::int64_t length) {
    planes::deinterleave(copy, length, std::span<T* const>(rows));
  });
}

template <typename T>
void lift(const PlaneLayout& layout, std::size_t level, T* buffer) {
  if (level + 1 == layout.levels().size()) {
    for_each_coarsest(layout, buffer, [](const T& grid, T& copy) { copy = grid; });
    return;
  }
  for_each_copied_row(layout, level, buffer, [](T* copy, std::array<T*, 2> rows,
                                                std::int64_t length) {
    const std::array<const T*, 2> parts{rows[0], rows[1]};
    planes::interleave(std::span<const T* const>(parts), length, copy);
  });
}

template <typename T>
void read_image(const PlaneLayout& layout, const T* image, T* buffer) {
  clear_margins(layout, buffer);
  read_finest(layout, image, buffer);
  for (std::size_t level = 0; level < layout.levels().size(); ++level) {
    descend(layout, level, buffer);
  }
}

template <typename T>
void write_image(const PlaneLayout& layout, T* buffer, T* image) {
  for (std::size_t level = layout.levels().size(); level-- > 0;) lift(layout, level, buffer);
  write_finest(layout, buffer, image);
}

#define SUPN_INSTANTIATE(T)                                          \
  template void clear_margins<T>(const PlaneLayout&, T*);            \
  template void read_finest<T>(const PlaneLayout&, const T*, T*);    \
  template void descend<T>(const PlaneLayout&, std::size_t, T*);     \
  template void lift<T>(const PlaneLayout&, std::size_t, T*);        \
  template void write_finest<T>(const PlaneLayout&, const T*, T*);   \
  template void read_image<T>(const PlaneLayout&, const T*, T*);     \
  template void write_image<T>(const PlaneLayout&, T*, T*);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::cpu
