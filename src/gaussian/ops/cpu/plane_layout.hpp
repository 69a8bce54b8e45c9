// A plane layout says where the pixels of an image lie when every class of the order from coarse to
// fine has a plane of its own, in one buffer per map or sample.
//
// A level whose grid has the stride s holds p·p planes (p the period of its classes): plane (a, b)
// is the image of the level's pixels (p·i + a, p·j + b), in strides. Classes fill their own planes;
// the other planes, a quarter of them, are a copy of the coarser grid. The coarsest grid follows as
// a plain image. All planes of a level have one shape with a margin of zeros, so that a neighbour
// is a plane and a fixed shift, inside the image or not:
//
//   level 0        level 1        …   coarsest grid
//   [p·p planes]   [p·p planes]       [one plane]
//
// Maps of several channels interleave their rows: row by row, channel after channel, so that all
// coefficients of a row of pixels lie together. One row of an image alone, in parts that are rows
// of planes without margins, is laid out likewise: p parts a level, then the coarsest grid's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "gaussian/kernels/grid_rows.hpp"
#include "supn/gaussian/neighbourhood.hpp"

namespace supn::cpu {

// One channel adds this to every pixel of a plane: a coefficient times a pixel, each read from a
// shifted row. Places are those for element 0 of row 0; a row of the plane farther, both are a
// pitch farther.
struct PlaneTerm {
  std::int64_t channel;             // of the coefficient
  std::int64_t coefficient_row;     // where the coefficient's row begins, margin included
  std::int64_t coefficient_column;  // within that row
  std::int64_t field;               // of the pixel in a sample's buffer
};

// A plane of a class, or one of the copies of the coarser grid.
struct Plane {
  std::int64_t turn;            // of row 0 of a class; row i has turn + i·period
  std::int64_t row;             // in the image, of the first pixel of a class
  std::int64_t column;          // in the image, of the first pixel of a class
  std::int64_t stride;          // in the image, from pixel to pixel of a class; a power of 2
  std::vector<Offset> offsets;  // of a class's neighbours, in pixels of the image
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t start;                 // place of element 0 of row 0 in a buffer
  std::int64_t part;                  // place of a class's row in an image's row in parts
  std::vector<PlaneTerm> neighbours;  // Lᵀ: of each pixel of a class, in channel order
  std::vector<PlaneTerm> dependants;  // L: pixels whose neighbour this is, later classes first
  std::vector<planes::Tap> taps;      // Lᵀ: row 0's own, then its neighbours', by column alone
  std::int64_t inner_begin = 0;       // columns [inner_begin, inner_end) have all taps
  std::int64_t inner_end = 0;
};

struct PlaneLevel {
  std::int64_t grid_rows;  // of the level's pixels as an image
  std::int64_t grid_columns;
  std::int64_t pitch;  // from row to row of a plane
  std::int64_t plane_size;
  std::int64_t start;          // of plane (0, 0), margin included
  std::int64_t part;           // of the first part of an image's row
  std::int64_t part_pitch;     // from part to part
  std::int64_t coarser;        // row and column phase, modulo 2, of the coarser grid
  std::int64_t delay;          // rows of the grid by which a class runs behind the first at most
  std::vector<Plane> classes;  // in the order of a sample
  std::vector<Plane> copies;   // of the coarser grid
};

// One channel of a buffer whose rows `channels` maps share.
template <typename T>
struct Channel {
  T* data;
  std::int64_t channels = 1;
  std::int64_t channel = 0;

  // An element of the row that begins at `row` in a buffer of one map.
  T* at(std::int64_t row, std::int64_t pitch, std::int64_t column) const {
    return data + row * channels + channel * pitch + column;
  }
};

class PlaneLayout {
 public:
  // The order must be from coarse to fine.
  PlaneLayout(const Neighbourhood& neighbourhood, const ImageSize& size);

  std::int64_t period() const { return period_; }
  const ImageSize& size() const { return size_; }
  // Level 0, the finest, comes first; there is none if no level fits the image.
  const std::vector<PlaneLevel>& levels() const { return levels_; }
  // Returns the words of one map or sample.
  std::int64_t words() const { return words_; }

  // The coarsest grid is a class alone in its level; its neighbours lie in its own plane, those that
  // follow in raster order.
  const PlaneLevel& coarsest() const { return coarsest_; }
  const Plane& grid() const { return coarsest_.classes.front(); }
  // Returns the words of one channel of an image's row in parts.
  std::int64_t row_words() const { return row_words_; }

  // Returns the columns of margin to the left of a plane's pixels; to the right of a row lies the
  // margin of the next. Pixel 0 starts a cache line.
  std::int64_t margin() const { return margin_; }
  // Returns the rows of margin above a plane's pixels, and below.
  std::int64_t margin_rows() const { return margin_rows_; }
  // Returns where row `row` of plane (a, b) begins, margin included.
  std::int64_t row_start(const PlaneLevel& level,
                         std::int64_t a,
                         std::int64_t b,
                         std::int64_t row) const {
    return level.start + (a * period_ + b) * level.plane_size + (margin_rows_ + row) * level.pitch;
  }

 private:
  void add_level(std::int64_t level, const std::vector<PixelClass>& classes);
  void add_coarsest(const PixelClass& pixels);
  PlaneLevel sized_level(const ImageSize& grid, std::int64_t period);
  Plane plane_of(PlaneLevel& level, const PixelClass& pixels, std::int64_t period) const;
  void add_copies(PlaneLevel& level) const;
  void add_dependants(const PlaneLevel& level, Plane& target) const;

  ImageSize size_;
  std::int64_t period_;
  std::int64_t margin_;
  std::int64_t margin_rows_;
  std::int64_t words_ = 0;
  std::int64_t row_words_ = 0;
  std::vector<PlaneLevel> levels_;
  PlaneLevel coarsest_;
};

// Returns the layout of this order and size. Making one takes a fifth of the time of a density of
// 640x192 pixels, so the latest few are kept.
std::shared_ptr<const PlaneLayout> shared_layout(const Neighbourhood& neighbourhood,
                                                 const ImageSize& size);

// Counts the pixels phase, phase + period, … below `length`.
inline std::int64_t count_of(std::int64_t length, std::int64_t phase, std::int64_t period) {
  return length > phase ? (length - phase - 1) / period + 1 : 0;
}

// Levels [begin, end) of a layout; its coarsest grid is the last.
struct LevelRange {
  std::int64_t begin;
  std::int64_t end;
};
inline LevelRange all_levels(const PlaneLayout& layout) {
  return {0, static_cast<std::int64_t>(layout.levels().size()) + 1};
}

// run(level, plane, its row) for the classes of these levels that have row y of the image.
template <typename Run>
void for_each_class_of_row(const PlaneLayout& layout,
                           const LevelRange& levels,
                           std::int64_t y,
                           const Run& run) {
  const auto coarsest = static_cast<std::int64_t>(layout.levels().size());
  for (std::int64_t l = levels.begin; l < levels.end; ++l) {
    const PlaneLevel& level =
        l == coarsest ? layout.coarsest() : layout.levels()[static_cast<std::size_t>(l)];
    for (const Plane& plane : level.classes) {
      const std::int64_t below = y - plane.row;
      if ((below & (plane.stride - 1)) == 0) run(level, plane, below / plane.stride);
    }
  }
}

// A sample fills a level row by row of its grid, each class as many rows behind the first as it
// needs to find its neighbours finished: what it reads is still in the cache then. L⁻¹ takes the
// same turns in the reverse order.
inline std::int64_t turns_of(const PlaneLevel& level) { return level.grid_rows + level.delay; }

// work(plane, row) for the rows of a level's classes that have this turn, in the order of the
// classes or in the reverse order.
template <typename Iterator, typename Work>
void take_turn_of(
    Iterator first, Iterator last, std::int64_t period, std::int64_t turn, const Work& work) {
  for (Iterator plane = first; plane != last; ++plane) {
    const std::int64_t since = turn - plane->turn;
    if (since < 0 || since % period != 0 || since / period >= plane->rows) continue;
    work(*plane, since / period);
  }
}
template <typename Work>
void take_turn(const PlaneLevel& level, std::int64_t period, std::int64_t turn, const Work& work) {
  take_turn_of(level.classes.begin(), level.classes.end(), period, turn, work);
}
template <typename Work>
void take_turn_back(const PlaneLevel& level,
                    std::int64_t period,
                    std::int64_t turn,
                    const Work& work) {
  take_turn_of(level.classes.rbegin(), level.classes.rend(), period, turn, work);
}

}  // namespace supn::cpu
