#include "gaussian/ops/cpu/plane_buffer.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "gaussian/kernels/interleaving.hpp"

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

// Splits one plane's row of a copy of the coarser grid, `split(copy, rows, length)`, into the rows
// of two phases of the coarser level. Column X of the coarser grid is column 2X of the finer one:
// with period 4 its phases 0 and 2 hold the even and the odd X, of which each second one has the
// same phase.
template <typename T, typename Split>
void for_each_copied_part(const PlaneLayout& layout,
                          const PlaneLevel& coarser,
                          const Parts<T>& fine,
                          const Parts<T>& coarse,
                          const Split& split) {
  const auto half = static_cast<std::size_t>(layout.period() / 2);
  for (std::size_t b = 0; b < half; ++b) {
    const auto columns = coarser.grid_columns - static_cast<std::int64_t>(b);
    split(fine[2 * b],
          std::array<T*, 2>{coarse[b], coarse[b + half]},
          half == 1 ? columns : (columns + 1) / 2);
  }
}

template <typename T>
void part_copy(T* copy, const std::array<T*, 2>& rows, std::int64_t length) {
  planes::deinterleave(copy, length, std::span<T* const>(rows));
}
template <typename T>
void join_copy(T* copy, const std::array<T*, 2>& rows, std::int64_t length) {
  const std::array<const T*, 2> parts{rows[0], rows[1]};
  planes::interleave(std::span<const T* const>(parts), length, copy);
}

template <typename T, typename Split>
void for_each_copied_row(const PlaneLayout& layout,
                         std::size_t level,
                         const Channel<T>& buffer,
                         const Split& split) {
  const PlaneLevel& coarser = layout.levels()[level + 1];
  for (std::int64_t y = 0; y < coarser.grid_rows; ++y) {
    for_each_copied_part(layout,
                         coarser,
                         parts_of_row(layout, layout.levels()[level], 2 * y, buffer),
                         parts_of_row(layout, coarser, y, buffer),
                         split);
  }
}

template <typename T>
T* grid_row(const PlaneLayout& layout, std::int64_t i, const Channel<T>& buffer) {
  const std::int64_t pitch = layout.coarsest().pitch;
  return buffer.at(layout.grid().start - layout.margin() + i * pitch, pitch, layout.margin());
}

// run(value of the coarsest grid, its copy in the last level).
template <typename T, typename Run>
void for_each_coarsest(const PlaneLayout& layout, const Channel<T>& buffer, const Run& run) {
  const PlaneLevel& last = layout.levels().back();
  const std::int64_t p = layout.period();
  for (std::int64_t i = 0; i < layout.grid().rows; ++i) {
    T* grid = grid_row(layout, i, buffer);
    const std::int64_t y = 2 * i + last.coarser;
    for (std::int64_t j = 0; j < layout.grid().columns; ++j) {
      const std::int64_t x = 2 * j + last.coarser;
      run(grid[j],
          *buffer.at(
              layout.row_start(last, y % p, x % p, y / p), last.pitch, layout.margin() + x / p));
    }
  }
}

bool has_grid(const PlaneLayout& layout, std::int64_t y) {
  return y % layout.grid().stride == layout.grid().row;
}

// Row y of an image → its parts; at(level) returns those of a level that has the row, and grid the
// coarsest grid's.
template <typename T, typename At>
void part_row(const PlaneLayout& layout, std::int64_t y, const T* row, const At& at, T* grid) {
  const std::vector<PlaneLevel>& levels = layout.levels();
  if (!levels.empty()) {
    const Parts<T> finest = at(0);
    planes::deinterleave(
        row,
        layout.size().width,
        std::span<T* const>(finest.data(), static_cast<std::size_t>(layout.period())));
  }
  for (std::size_t l = 1; l < levels.size() && y % (std::int64_t{1} << l) == 0; ++l) {
    for_each_copied_part(layout, levels[l], at(l - 1), at(l), part_copy<T>);
  }
  if (!has_grid(layout, y)) return;
  const Plane& plane = layout.grid();
  for (std::int64_t j = 0; j < plane.columns; ++j) grid[j] = row[plane.column + j * plane.stride];
}

template <typename T, typename At>
void join_row(const PlaneLayout& layout, std::int64_t y, const At& at, const T* grid, T* row) {
  const std::vector<PlaneLevel>& levels = layout.levels();
  for (std::size_t l = levels.size(); l-- > 1;) {
    if (y % (std::int64_t{1} << l) != 0) continue;
    for_each_copied_part(layout, levels[l], at(l - 1), at(l), join_copy<T>);
  }
  if (!levels.empty()) {
    const Parts<T> rows = at(0);
    const Parts<const T> parts{rows[0], rows[1], rows[2], rows[3]};
    planes::interleave(
        std::span<const T* const>(parts.data(), static_cast<std::size_t>(layout.period())),
        layout.size().width,
        row);
  }
  if (!has_grid(layout, y)) return;
  const Plane& plane = layout.grid();
  for (std::int64_t j = 0; j < plane.columns; ++j) row[plane.column + j * plane.stride] = grid[j];
}

// Where the planes of a buffer have row y of the image.
template <typename T>
auto rows_of_planes(const PlaneLayout& layout, std::int64_t y, const Channel<T>& buffer) {
  return [&layout, y, buffer](std::size_t l) {
    return parts_of_row(layout, layout.levels()[l], y >> l, buffer);
  };
}

template <typename T>
auto parts_of_levels(const PlaneLayout& layout, T* channel) {
  return [&layout, channel](std::size_t l) {
    const PlaneLevel& level = layout.levels()[l];
    Parts<T> parts{};
    for (std::size_t b = 0; b < static_cast<std::size_t>(layout.period()); ++b) {
      parts[b] = channel + level.part + static_cast<std::int64_t>(b) * level.part_pitch;
    }
    return parts;
  };
}

// Clears all but `pixels` of a plane whose row 0 begins at `start`: above them, below them, and
// from the end of each row to the first pixel of the next.
template <typename T>
void clear_outside(const PlaneLayout& layout,
                   const PlaneLevel& level,
                   std::int64_t start,
                   const ImageSize& pixels,
                   const Channel<T>& buffer) {
  const std::int64_t margin = layout.margin();
  const std::int64_t end = level.plane_size / level.pitch - layout.margin_rows();
  for (std::int64_t i = -layout.margin_rows(); i < end; ++i) {
    T* row = buffer.at(start + i * level.pitch, level.pitch, 0);
    const bool inside = i >= 0 && i < pixels.height;
    std::fill(row, row + (inside ? margin : level.pitch), T{0});
    if (inside) std::fill(row + margin + pixels.width, row + level.pitch, T{0});
  }
}

}  // namespace

template <typename T>
void clear_margins(const PlaneLayout& layout, const Channel<T>& buffer) {
  for (const PlaneLevel& level : layout.levels()) {
    for (std::int64_t a = 0; a < layout.period(); ++a) {
      for (std::int64_t b = 0; b < layout.period(); ++b) {
        clear_outside(layout,
                      level,
                      layout.row_start(level, a, b, 0),
                      {count_of(level.grid_rows, a, layout.period()),
                       count_of(level.grid_columns, b, layout.period())},
                      buffer);
      }
    }
  }
  clear_outside(layout,
                layout.coarsest(),
                layout.grid().start - layout.margin(),
                {layout.grid().rows, layout.grid().columns},
                buffer);
}

template <typename T>
void descend(const PlaneLayout& layout, std::size_t level, const Channel<T>& buffer) {
  if (level + 1 == layout.levels().size()) {
    for_each_coarsest(layout, buffer, [](T& grid, const T& copy) { grid = copy; });
    return;
  }
  for_each_copied_row(layout, level, buffer, part_copy<T>);
}

template <typename T>
void lift(const PlaneLayout& layout, std::size_t level, const Channel<T>& buffer) {
  if (level + 1 == layout.levels().size()) {
    for_each_coarsest(layout, buffer, [](const T& grid, T& copy) { copy = grid; });
    return;
  }
  for_each_copied_row(layout, level, buffer, join_copy<T>);
}

template <typename T>
void add_copies(const PlaneLayout& layout, const Channel<T>& buffer) {
  if (layout.levels().empty()) return;
  const std::int64_t longest = layout.levels().front().part_pitch;
  const AlignedBuffer<T> parts(2 * longest);
  for (std::size_t l = 0; l + 1 < layout.levels().size(); ++l) {
    for_each_copied_row(layout, l, buffer, [&](T* copy, const auto& rows, std::int64_t length) {
      const std::array<T*, 2> own{parts.data(), parts.data() + longest};
      part_copy(copy, own, length);
      for (std::int64_t i = 0; i < 2; ++i) {
        const auto part = static_cast<std::size_t>(i);
        for (std::int64_t j = 0; j < (length + 1 - i) / 2; ++j) rows[part][j] += own[part][j];
      }
    });
  }
  for_each_coarsest(layout, buffer, [](T& grid, const T& copy) { grid += copy; });
}

template <typename T>
void read_row(const PlaneLayout& layout, std::int64_t y, const T* row, const Channel<T>& buffer) {
  part_row(layout,
           y,
           row,
           rows_of_planes(layout, y, buffer),
           grid_row(layout, y / layout.grid().stride, buffer));
}

template <typename T>
void read_rows(const PlaneLayout& layout, const T* image, const Channel<T>& buffer) {
  for (std::int64_t y = 0; y < layout.size().height; ++y) {
    read_row(layout, y, image + y * layout.size().width, buffer);
  }
}

template <typename T>
void read_image(const PlaneLayout& layout, const T* image, const Channel<T>& buffer) {
  clear_margins(layout, buffer);
  read_rows(layout, image, buffer);
}

template <typename T>
void write_row(const PlaneLayout& layout, std::int64_t y, const Channel<T>& buffer, T* row) {
  join_row<T>(layout,
              y,
              rows_of_planes(layout, y, buffer),
              grid_row(layout, y / layout.grid().stride, buffer),
              row);
}

template <typename T>
void write_image(const PlaneLayout& layout, const Channel<T>& buffer, T* image) {
  for (std::int64_t y = 0; y < layout.size().height; ++y) {
    write_row(layout, y, buffer, image + y * layout.size().width);
  }
}

template <typename T>
void RowParts<T>::write(std::int64_t y, std::int64_t channel, T* row) const {
  T* data = data_.data() + channel * layout_.row_words();
  join_row<T>(layout_, y, parts_of_levels(layout_, data), data + layout_.grid().part, row);
}

#define SUPN_INSTANTIATE(T)                                                                 \
  template void clear_margins<T>(const PlaneLayout&, const Channel<T>&);                    \
  template void descend<T>(const PlaneLayout&, std::size_t, const Channel<T>&);             \
  template void lift<T>(const PlaneLayout&, std::size_t, const Channel<T>&);                \
  template void add_copies<T>(const PlaneLayout&, const Channel<T>&);                       \
  template void read_row<T>(const PlaneLayout&, std::int64_t, const T*, const Channel<T>&); \
  template void read_rows<T>(const PlaneLayout&, const T*, const Channel<T>&);              \
  template void read_image<T>(const PlaneLayout&, const T*, const Channel<T>&);             \
  template void write_row<T>(const PlaneLayout&, std::int64_t, const Channel<T>&, T*);      \
  template void write_image<T>(const PlaneLayout&, const Channel<T>&, T*);                  \
  template class RowParts<T>;
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::cpu
