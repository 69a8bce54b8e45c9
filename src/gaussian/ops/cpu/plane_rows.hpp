// Products with a factor read where its maps lie, one row of an image at a time: a row of ψ is
// parted by classes in a buffer that stays in the cache, while samples lie in planes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "gaussian/kernels/planes.hpp"
#include "gaussian/ops/cpu/plane_buffer.hpp"
#include "gaussian/ops/cpu/plane_layout.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {

inline constexpr std::int64_t kRowsAtOnce = 8;

// Samples of one image, a buffer each.
template <typename T>
class Buffers {
 public:
  Buffers(const PlaneLayout& layout, std::int64_t count, const at::TensorOptions& options);

  std::int64_t count() const { return count_; }
  const PlaneLayout& layout() const { return layout_; }
  const T* data() const { return data_; }
  T* data() { return data_; }

  // Buffer i becomes images[i] − mean; mean may be nullptr.
  void read(const T* images, const T* mean);

 private:
  const PlaneLayout& layout_;
  std::int64_t count_;
  at::Tensor storage_;
  T* data_;
};

// Row y of e^φ, in parts.
template <typename T>
class DiagonalRow {
 public:
  // The maps must be contiguous.
  DiagonalRow(const PlaneLayout& layout, const FactorMaps& maps)
      : layout_(layout), maps_(maps), parts_(layout, 1), row_(layout.size().width) {}

  void read(std::int64_t b, std::int64_t y);
  const T* at(const Plane& plane) const { return parts_.at(0, plane); }

 private:
  const PlaneLayout& layout_;
  const FactorMaps& maps_;
  RowParts<T> parts_;
  AlignedBuffer<T> row_;
};

// Row y of a factor. What couples a pixel to a neighbour outside the image is left out, whatever the
// map holds.
template <typename T>
class FactorRow {
 public:
  // The maps must be contiguous.
  FactorRow(const PlaneLayout& layout, const FactorMaps& maps)
      : layout_(layout),
        maps_(maps),
        channels_(maps.off_diagonal.size(1)),
        parts_(layout, channels_),
        diagonal_(layout, maps) {}

  // Takes row y of image b.
  void read(std::int64_t b, std::int64_t y);
  const T* diagonal(const Plane& plane) const { return diagonal_.at(plane); }
  // Returns the terms of row i of a class in Lᵀx, the diagonal's first; x lies in planes.
  std::span<const planes::Term<T>> terms(const PlaneLevel& level,
                                         const Plane& plane,
                                         std::int64_t i,
                                         const T* x);
  // Adds what row i of a class gives to Lx, in planes.
  void add_to(const PlaneLevel& level,
              const Plane& plane,
              std::int64_t i,
              const Buffers<T>& x,
              Buffers<T>& products);

 private:
  // run(coefficients, place of row i's neighbours in a sample's buffer): the pixels themselves
  // first, then all neighbours whose row is inside the image.
  template <typename Run>
  void for_each_term(const PlaneLevel& level,
                     const Plane& plane,
                     std::int64_t i,
                     const Run& run) const;

  const PlaneLayout& layout_;
  const FactorMaps& maps_;
  std::int64_t channels_;
  RowParts<T> parts_;
  DiagonalRow<T> diagonal_;
  std::vector<planes::Term<T>> terms_;
  std::vector<planes::Target<T>> targets_;
};

// Row y of z = Lᵀx of one image's samples, in parts.
template <typename T>
class ProductRow {
 public:
  ProductRow(const FactorMaps& maps, const Buffers<T>& x)
      : factor_(x.layout(), maps), x_(x), products_(x.layout(), x.count()) {}

  const FactorRow<T>& factor() const { return factor_; }
  // run(level, plane, its row, z of the first sample) for the row's classes; the samples of z are
  // PlaneLayout::row_words() apart.
  template <typename Run>
  void take(std::int64_t b, std::int64_t y, const Run& run) {
    factor_.read(b, y);
    const PlaneLayout& layout = x_.layout();
    for_each_class_of_row(
        layout,
        all_levels(layout),
        y,
        [&](const PlaneLevel& level, const Plane& plane, std::int64_t i) {
          T* z = products_.at(0, plane);
          planes::multiply(
              planes::Products<T>{factor_.terms(level, plane, i, x_.data()), z, layout.row_words()},
              {plane.columns, x_.count(), layout.words()});
          run(level, plane, i, static_cast<const T*>(z));
        });
  }
  // Row y of sample s as the image has it.
  void write(std::int64_t y, std::int64_t s, T* row) const { products_.write(y, s, row); }

 private:
  FactorRow<T> factor_;
  const Buffers<T>& x_;
  RowParts<T> products_;
};

// products = Lx of image b, in the planes of the classes and the coarsest grid.
template <typename T>
void multiply_in_planes(const FactorMaps& maps,
                        std::int64_t b,
                        const Buffers<T>& x,
                        Buffers<T>& products);

FactorMaps contiguous(const FactorMaps& maps);

}  // namespace supn::cpu
