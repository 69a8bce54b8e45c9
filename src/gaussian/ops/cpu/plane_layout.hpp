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
//   [p·p planes]   [p·p planes]       [rows × columns]
//
// Maps of several channels interleave their rows: row by row, channel after channel, so that all
// coefficients of a row of pixels lie together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

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
  std::int64_t step;            // of a class, from 0 within its level
  std::int64_t row;             // in the image, of the first pixel of a class
  std::int64_t column;          // in the image, of the first pixel of a class
  std::int64_t stride;          // in the image, from pixel to pixel of a class
  std::vector<Offset> offsets;  // of a class's neighbours, in pixels of the image
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t start;                 // place of element 0 of row 0 in a buffer
  std::vector<PlaneTerm> neighbours;  // Lᵀ: of each pixel of a class, in channel order
  std::vector<PlaneTerm> dependants;  // L: pixels whose neighbour this is, later classes first
};

struct PlaneLevel {
  std::int64_t grid_rows;  // of the level's pixels as an image
  std::int64_t grid_columns;
  std::int64_t pitch;  // from row to row of a plane
  std::int64_t plane_size;
  std::int64_t start;          // of plane (0, 0), margin included
  std::int64_t coarser;        // row and column phase, modulo 2, of the coarser grid
  std::int64_t lag;            // rows of a plane by which a step runs behind the one before
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

  // The coarsest grid, in raster order of radius 2.
  const ImageSize& coarsest() const { return coarsest_; }
  std::int64_t coarsest_start() const { return coarsest_start_; }
  const PixelClass& coarsest_class() const { return coarsest_class_; }

  // Words that the coarsest grid takes in a buffer, one row of all channels.
  std::int64_t coarsest_pitch() const { return coarsest_pitch_; }
  std::int64_t coarsest_pixels() const { return coarsest_.height * coarsest_.width; }

  // Returns the columns of margin to the left of a plane's pixels.
  std::int64_t margin() const { return margin_; }
  // Returns where row `row` of plane (a, b) begins, margin included.
  std::int64_t row_start(const PlaneLevel& level,
                         std::int64_t a,
                         std::int64_t b,
                         std::int64_t row) const {
    return level.start + (a * period_ + b) * level.plane_size + (margin_ + row) * level.pitch;
  }

 private:
  void add_level(std::int64_t level, const std::vector<PixelClass>& classes);
  void add_copies(PlaneLevel& level) const;
  void add_dependants(const PlaneLevel& level, Plane& target) const;

  ImageSize size_;
  std::int64_t period_;
  std::int64_t margin_;
  std::int64_t words_ = 0;
  std::vector<PlaneLevel> levels_;
  PixelClass coarsest_class_;
  ImageSize coarsest_;
  std::int64_t coarsest_start_ = 0;
  std::int64_t coarsest_pitch_ = 0;
};

// work(plane, row) for all rows of the planes first … last, each step `lag` rows behind the one
// before.
template <typename Iterator, typename Work>
void run_staggered(Iterator first, Iterator last, std::int64_t lag, const Work& work) {
  const auto behind = [&](const Plane& plane) { return lag * std::abs(plane.step - first->step); };
  std::int64_t end = 0;
  for (Iterator plane = first; plane != last; ++plane) {
    end = std::max(end, plane->rows + behind(*plane));
  }
  for (std::int64_t t = 0; t < end; ++t) {
    for (Iterator plane = first; plane != last; ++plane) {
      const std::int64_t row = t - behind(*plane);
      if (row >= 0 && row < plane->rows) work(*plane, row);
    }
  }
}

}  // namespace supn::cpu
