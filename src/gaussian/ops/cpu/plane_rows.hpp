// One image's samples in planes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

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
  void clear();
  // images[i] becomes what the classes and the coarsest grid of buffer i hold, plus the mean; mean
  // may be nullptr.
  void write(T* images, const T* mean);

 private:
  const PlaneLayout& layout_;
  std::int64_t count_;
  LargeBuffer storage_;
  T* data_;
};

FactorMaps contiguous(const FactorMaps& maps);

}  // namespace supn::cpu
