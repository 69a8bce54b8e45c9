// z = Lᵀx of one image's samples, one row of the image at a time: samples lie in planes, the factor
// where its maps are.
#pragma once

#include <cstdint>
#include <vector>

#include "gaussian/kernels/grid_rows.hpp"
#include "gaussian/ops/cpu/plane_rows.hpp"

namespace supn::cpu {

// Row y of z = Lᵀx, in parts. What couples a pixel to a neighbour outside the image is left out,
// whatever the map holds.
//
// A level takes its pixels from the row and hands the others on: every second pixel of every second
// row, a row of the next level.
template <typename T>
class ProductRow {
 public:
  // The maps must be contiguous.
  ProductRow(const FactorMaps& maps, const Buffers<T>& x);

  // run(level, plane, its row, z of the first sample) for the row's classes; the samples of z are
  // PlaneLayout::row_words() apart.
  template <typename Run>
  void take(std::int64_t b, std::int64_t y, const Run& run) {
    multiply(b, y);
    for_each_class_of_row(layout_,
                          all_levels(layout_),
                          y,
                          [&](const PlaneLevel& level, const Plane& plane, std::int64_t i) {
                            const T* z = products_.at(0, plane);
                            run(level, plane, i, z);
                          });
  }
  // Row y of e^φ as the image has it.
  const T* diagonal() const { return diagonal_.data(); }
  // Row y of sample s as the image has it.
  void write(std::int64_t y, std::int64_t s, T* row) const { products_.write(y, s, row); }

 private:
  void multiply(std::int64_t b, std::int64_t y);
  void multiply_coarsest(std::int64_t y);
  void multiply_level(std::int64_t l, std::int64_t y);

  // These collect the classes of one row of a level, and multiply them.
  void start_row(const PlaneLevel& level, std::int64_t phases);
  void add_class(const PlaneLevel& level, const Plane& plane, std::int64_t phase, std::int64_t y);
  void multiply_row(std::size_t taps, std::int64_t columns, T* coarser);
  // Goes on with the row that was handed on.
  void read_coarser();

  const FactorMaps& maps_;
  const Buffers<T>& x_;
  const PlaneLayout& layout_;
  std::int64_t channels_;  // K + 1, the diagonal being the first
  std::int64_t coarser_apart_;
  RowParts<T> products_;
  AlignedBuffer<T> diagonal_;
  AlignedBuffer<T> coarser_;  // what the last level handed on
  std::vector<const T*> coefficients_;
  const std::vector<planes::Tap> no_taps_;  // of a phase without a class
  std::vector<planes::Tap> taps_;           // of each phase whose class lacks a row of neighbours
  std::vector<planes::ClassProducts<T>> classes_;
};

}  // namespace supn::cpu
