// A sun grid says which things can stand between a place and the sun.
//
// Seen along the sun's rays, each thing covers a disc in the plane across them, and a place is one
// point there. A grid over that plane lists the things whose discs touch a cell, so that a place is
// tested against a few things instead of all. Exact: the discs are those of the bounding spheres.
#pragma once

#include <cstddef>
#include <vector>

#include "road_shading.hpp"
#include "road_world.hpp"

namespace supn::road {

class SunGrid {
 public:
  // Keeps pointers to the world's things: the world must outlive the grid unchanged.
  explicit SunGrid(const World& world);

  // Tells whether the sun reaches the surface at a world point with this normal.
  Sun sun_at(const Vec& at, const Vec& normal) const;

 private:
  struct Cell {
    std::size_t row = 0;
    std::size_t column = 0;
  };
  // Returns the cell of a point of the plane. Points outside take the nearest cell: only things
  // beyond the border can be missing there, and there are none.
  Cell cell_at(double across, double up) const;

  Vec to_sun_;
  bool shines_;
  Vec across_;
  Vec up_;
  double low_across_ = 0.0;
  double low_up_ = 0.0;
  std::size_t rows_ = 1;
  std::size_t columns_ = 1;
  std::vector<std::vector<const Thing*>> cells_;
};

}  // namespace supn::road
