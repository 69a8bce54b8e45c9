// Products of a factor with one image's samples: samples lie in planes, the factor where its maps
// are.
#pragma once

#include <cstdint>

#include "gaussian/ops/cpu/factor_row.hpp"

namespace supn::cpu {

// Row y of z = Lᵀx, in parts.
template <typename T>
class ProductRow {
 public:
  // The maps must be contiguous.
  ProductRow(const FactorMaps& maps, const Buffers<T>& x)
      : factor_(maps, x), layout_(x.layout()), products_(layout_, x.count()) {}

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
  const T* diagonal() const { return factor_.diagonal(); }
  // Row y of sample s as the image has it.
  void write(std::int64_t y, std::int64_t s, T* row) const { products_.write(y, s, row); }

 private:
  void multiply(std::int64_t b, std::int64_t y);

  FactorRow<T> factor_;
  const PlaneLayout& layout_;
  RowParts<T> products_;
};

// products = Lx of image b, in the planes of the classes and the coarsest grid.
template <typename T>
void multiply_in_planes(const FactorMaps& maps,
                        std::int64_t b,
                        const Buffers<T>& x,
                        Buffers<T>& products);

}  // namespace supn::cpu
