// A FactorGraph is a factor of one image as a sparse triangular matrix: pixels in the order of a
// sample, each with the earlier pixels that it depends on. It serves both orders, in float64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/large_buffer.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

// Row p of Lᵀ in the order of a sample: e^φ at p itself, ψ at earlier positions.
class FactorGraph {
 public:
  // Takes one image in float64 on the CPU.
  explicit FactorGraph(const StructuredGaussian& gaussian);

  std::int64_t pixels() const { return static_cast<std::int64_t>(position_.size()); }
  std::int64_t width() const { return width_; }
  // A level holds a stride and the first position; levels start from the coarsest grid.
  struct Level {
    std::int64_t stride;
    std::int64_t begin;
  };
  const std::vector<Level>& levels() const { return levels_; }
  std::int32_t position(std::int64_t pixel) const { return position_[index(pixel)]; }
  std::int64_t pixel(std::int64_t position) const { return pixel_[index(position)]; }
  // Returns e^−φ.
  double inverse_diagonal(std::int64_t position) const { return inverse_[index(position)]; }
  // Earlier positions that `position` depends on, and ψ of each.
  std::span<const std::int32_t> neighbours(std::int64_t position) const {
    return {neighbours_.data() + position * most_neighbours_, counts_[index(position)]};
  }
  std::span<const double> coefficients(std::int64_t position) const {
    return {coefficients_.data() + position * most_neighbours_, counts_[index(position)]};
  }
  // visit(pixel, value) for every entry of L's column at `position`: e^φ, then ψ.
  template <typename Visit>
  void visit_column(std::int64_t position, const Visit& visit) const {
    visit(pixel(position), 1.0 / inverse_diagonal(position));
    for (std::size_t k = 0; k < counts_[index(position)]; ++k) {
      visit(pixel(neighbours(position)[k]), coefficients(position)[k]);
    }
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  // Fills positions [begin, end), which are pixels of one class.
  void add_rows(const StructuredGaussian& gaussian,
                const PixelClass& pixels,
                std::int64_t begin,
                std::int64_t end);

  std::int64_t width_;
  std::vector<Level> levels_;
  std::vector<std::int32_t> position_;  // by pixel
  std::vector<std::int64_t> pixel_;     // by position
  // By position; a position has room for most_neighbours_.
  std::int64_t most_neighbours_;
  std::vector<double> inverse_;
  std::vector<std::size_t> counts_;
  AlignedBuffer<std::int32_t> neighbours_;
  LargeBuffer coefficients_;
};

}  // namespace supn
