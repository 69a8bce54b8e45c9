// Products of a factor with one image's samples: samples lie in planes, the factor where its maps
// are.
#pragma once

#include <cstdint>

#include "gaussian/ops/cpu/factor_row.hpp"

namespace supn::cpu {

// Row y of z = Lᵀx, in parts or in the planes of the classes.
template <typename T>
class ProductRow {
 public:
  // The maps must be contiguous. Planes take the rows in place of parts, unless null.
  ProductRow(const FactorMaps& maps, const Buffers<T>& x, Buffers<T>* planes = nullptr)
      : factor_(maps, x),
        layout_(x.layout()),
        planes_(planes),
        parts_(layout_, planes == nullptr ? x.count() : 0) {}

  // run(plane, z of the first sample, from there to the next one's) for the row's classes.
  template <typename Run>
  void take(std::int64_t b, std::int64_t y, const Run& run) {
    multiply(b, y);
    for_each_class_of_row(layout_,
                          all_levels(layout_),
                          y,
                          [&](const PlaneLevel& level, const Plane& plane, std::int64_t i) {
                            const T* z = planes_ == nullptr
                                             ? parts_.at(0, plane)
                                             : planes_->data() + plane.start + i * level.pitch;
                            run(plane, z, apart());
                          });
  }
  // Row y of sample s as the image has it, from parts.
  void write(std::int64_t y, std::int64_t s, T* row) const { parts_.write(y, s, row); }

 private:
  void multiply(std::int64_t b, std::int64_t y);
  // Returns where phase `phase` of row y goes.
  T* place(const PlaneLevel& level, std::int64_t y, std::int64_t phase);
  std::int64_t apart() const { return planes_ == nullptr ? layout_.row_words() : layout_.words(); }

  FactorRow<T> factor_;
  const PlaneLayout& layout_;
  Buffers<T>* planes_;
  RowParts<T> parts_;
};

// products = Lx of image b, in the planes of the classes and the coarsest grid.
template <typename T>
void multiply_in_planes(const FactorMaps& maps,
                        std::int64_t b,
                        const Buffers<T>& x,
                        Buffers<T>& products);

}  // namespace supn::cpu
