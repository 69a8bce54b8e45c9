// Products with a factor read where its maps lie, one row of an image at a time: a row of ψ is
// parted by classes in a buffer that stays in the cache, while samples lie in planes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "gaussian/kernels/planes.hpp"
#include "gaussian/large_buffer.hpp"
#include "gaussian/ops/cpu/plane_buffer.hpp"
#include "gaussian/ops/cpu/plane_layout.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {

inline constexpr std::int64_t kRowsAtOnce = 8;

// Samples of one image, a buffer each.
template <typename T>
class Buffers {
 public:
  Buffers(const PlaneLayout& layout, std::int64_t count);

  std::int64_t count() const { return count_; }
  const PlaneLayout& layout() const { return layout_; }
  const T* data() const { return data_; }
  T* data() { return data_; }

  // Buffer i becomes images[i] − mean; mean may be nullptr.
  void read(const T* images, const T* mean);

 private:
  const PlaneLayout& layout_;
  std::int64_t count_;
  LargeBuffer storage_;
  T* data_;
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
        parts_(layout, channels_ + 1),
        diagonal_(layout.size().width) {}

  // Takes row y of image b.
  void read(std::int64_t b, std::int64_t y);
  // Adds what row i of a class gives to Lx, in planes.
  void add_to(const PlaneLevel& level,
              const Plane& plane,
              std::int64_t i,
              const Buffers<T>& x,
              Buffers<T>& products);

 private:
  const PlaneLayout& layout_;
  const FactorMaps& maps_;
  std::int64_t channels_;
  RowParts<T> parts_;  // the diagonal behind the others
  AlignedBuffer<T> diagonal_;
  std::vector<planes::Target<T>> targets_;
};

// products = Lx of image b, in the planes of the classes and the coarsest grid.
template <typename T>
void multiply_in_planes(const FactorMaps& maps,
                        std::int64_t b,
                        const Buffers<T>& x,
                        Buffers<T>& products);

FactorMaps contiguous(const FactorMaps& maps);

}  // namespace supn::cpu
