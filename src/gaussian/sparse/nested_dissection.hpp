// Nested dissection of an image finds an order of elimination for a matrix that couples pixels
// within a reach, by cutting rectangles in two halves with a separator as thick as the reach, over
// and over (George 1973). About 31·n·log n words of factor and, for a square image, 10·n^1.5
// multiply-adds in units of the reach, where a band of the whole width needs n² of them.
//
// A front is what elimination sees of one rectangle: its own pixels (the separator; all of a small
// rectangle), eliminated there, and its boundary, the pixels around the rectangle, which ancestors
// eliminate. Known pixels take no part.
#pragma once

#include <cstdint>
#include <vector>

#include "gaussian/kernels/blocks.hpp"
#include "supn/gaussian/neighbourhood.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Rows of a front: own pixels, padding to a whole block of lanes, boundary, padding.
struct Front {
  std::vector<std::int64_t> own;          // pixels
  std::vector<std::int64_t> boundary;     // pixels, in the order of the parent's rows
  std::vector<std::int64_t> parent_rows;  // of the boundary, in the parent
  std::vector<std::int64_t> children;     // at most 2
  std::int64_t first = 0;                 // descendants and itself are the fronts from here on
  std::int64_t depth = 0;

  static std::int64_t padded(std::size_t count) {
    const auto lanes = static_cast<std::size_t>(lanes::kLanes);
    return static_cast<std::int64_t>((count + lanes - 1) / lanes * lanes);
  }
  std::int64_t own_rows() const { return padded(own.size()); }
  std::int64_t boundary_rows() const { return padded(boundary.size()); }
  std::int64_t rows() const { return own_rows() + boundary_rows(); }
  std::int64_t row_of_boundary(std::size_t i) const {
    return own_rows() + static_cast<std::int64_t>(i);
  }
};

class Dissection {
 public:
  static constexpr std::int64_t kLeaf = 128;  // pixels that are not cut any more

  // Orders the pixels where `unknown` [N] is true. leaf ≥ 1.
  Dissection(const ImageSize& size,
             const Offset& reach,
             const std::vector<bool>& unknown,
             std::int64_t leaf = kLeaf);

  const ImageSize& size() const { return size_; }
  // Children before parents, so that every subtree is a range that ends with its root.
  const std::vector<Front>& fronts() const { return fronts_; }
  // Returns the size of the factor.
  std::int64_t bytes() const;
  // Returns those of the Cholesky factorisation.
  double multiply_adds() const;
  // Roots of the subtrees of one depth, ascending, at least `count` if the tree is that deep and
  // full. Subtrees do not depend on each other; all other fronts are less deep.
  std::vector<std::int64_t> subtrees(std::int64_t count) const;

 private:
  struct Rectangle;

  // Appends the fronts of a rectangle; rows of the parent's front are in row_.
  void cut(const Rectangle& rectangle, Front* parent, std::int64_t depth);
  std::vector<std::int64_t> pixels_of(const Rectangle& rectangle) const;
  void set_boundary(const Rectangle& rectangle, Front& front);
  void number(const Front& front);

  ImageSize size_;
  Offset reach_;
  std::int64_t leaf_;
  const std::vector<bool>* unknown_;  // while the tree is built
  std::vector<std::int64_t> row_;     // [N], row of a pixel in the front being cut
  std::vector<Front> fronts_;
};

}  // namespace supn
