// A neighbourhood says which pixels each row of Lᵀ couples: the order of a factor's pixels and, for
// every pixel, its K neighbours among those that a sample places before it.
//
// Raster, radius r (the paper's): a pixel depends on those of its (2r+1)² window that come after it
// in raster order, K = 2r(r+1): r=1: (0,1), (1,-1), (1,0), (1,1); r=2: (0,1), (0,2), (1,-2..2),
// (2,-2..2). A sample runs from the last pixel back. Radius 0 has no neighbours: independent
// pixels.
//
// Coarse to fine (Vecchia's approximation in a multiresolution order: Guinness 2018; Katzfuss and
// Guinness 2021): a sample starts with a grid of stride 2^levels, in the raster order of radius 2.
// Each level then halves the stride s and fills in, class after class, the pixels that are new on
// the finer grid. A pixel depends on the K nearest pixels that are placed already, which surround
// it. Positions of the 12 classes of a level, relative to the coarser grid (o), in units of s; the
// numbers are the steps, and classes of one step are filled together:
//
//        column 0 1 2 3          with 3 classes
//     row 0     o 7 o 8               o 3
//     row 1     5 1 6 3               2 1
//     row 2     o 8 o 7
//     row 3     6 4 5 2
//
// The coarsest grid begins half a stride from the corner, so that no border is farther than that.
// See docs/method.md "The order of the factor".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supn/image_size.hpp"

namespace supn {

// (rows down, columns right) from a pixel.
struct Offset {
  std::int64_t dy;
  std::int64_t dx;
  bool operator==(const Offset&) const = default;
};

enum class PixelOrder { kRaster, kCoarseToFine };

struct CoarseToFine {
  std::int64_t classes = 12;     // a level: 3 or 12
  std::int64_t neighbours = 12;  // K, 12 … 24
  std::int64_t levels = 5;       // the coarsest grid has stride 2^levels
  bool operator==(const CoarseToFine&) const = default;
};

// Pixels (row + i·stride, column + j·stride) of an image, which share their neighbours' offsets.
struct PixelClass {
  std::int64_t step;    // place in the order of a sample, from 0
  std::int64_t level;   // its grid has the stride 2^level; the coarsest grid: the number of levels
  std::int64_t row;     // of the first pixel
  std::int64_t column;  // of the first pixel
  std::int64_t stride;
  std::vector<Offset> offsets;  // of channel k, in pixels; channels beyond them are not used

  std::int64_t rows(const ImageSize& size) const { return (size.height - row - 1) / stride + 1; }
  std::int64_t columns(const ImageSize& size) const {
    return (size.width - column - 1) / stride + 1;
  }
};

class Neighbourhood {
 public:
  // Raster order. Throws c10::Error if radius < 0.
  explicit Neighbourhood(std::int64_t radius);
  // Throws c10::Error unless classes is 3 or 12, 12 ≤ neighbours ≤ 24 and 0 ≤ levels ≤ 16.
  explicit Neighbourhood(const CoarseToFine& order);

  PixelOrder order() const { return order_; }
  bool is_raster() const { return order_ == PixelOrder::kRaster; }
  // Returns K, the number of off-diagonal maps.
  std::int64_t size() const { return size_; }
  // No pixel depends on another: radius 0.
  bool is_diagonal() const { return size_ == 0; }

  // These describe the raster order; they throw c10::Error for another.
  std::int64_t radius() const;
  const std::vector<Offset>& offsets() const;  // in channel order

  // Describes the order from coarse to fine; throws c10::Error for another.
  const CoarseToFine& coarse_to_fine() const;
  // Levels that fit an image: the coarsest grid's first pixel must lie inside it.
  std::int64_t levels(const ImageSize& size) const;

  // All classes with at least one pixel, in the order of a sample. A pixel depends on pixels of
  // earlier steps alone, except in the first class (the coarsest grid; in raster order the whole
  // image), whose pixels depend on later ones of the same class in raster order.
  std::vector<PixelClass> classes(const ImageSize& size) const;

  // Number of Jacobi sweeps after which the iteration is exact, the longest chain of dependent
  // pixels: W + (r+1)(H−1) in raster order, 1 for radius 0.
  std::int64_t exact_sweeps(std::int64_t height, std::int64_t width) const;

  // The numbers tell one neighbourhood from another: the radius, or classes, neighbours and levels.
  // of_numbers() turns them back; it throws c10::Error for numbers of neither kind.
  std::vector<std::int64_t> numbers() const;
  static Neighbourhood of_numbers(const std::vector<std::int64_t>& numbers);

  // Names it in messages: "raster, radius 2" or "coarse to fine, 12 classes, 12 neighbours, …".
  std::string description() const;

  bool operator==(const Neighbourhood& other) const {
    return order_ == other.order_ && radius_ == other.radius_ &&
           coarse_to_fine_ == other.coarse_to_fine_;
  }

 private:
  PixelOrder order_;
  std::int64_t size_;
  std::int64_t radius_ = 0;
  std::vector<Offset> offsets_;  // of the raster order
  CoarseToFine coarse_to_fine_;
  std::vector<std::vector<Offset>> class_offsets_;  // by class of a level, in strides of the level
};

}  // namespace supn
