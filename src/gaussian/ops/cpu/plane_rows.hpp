// One image's samples in planes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

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
  // In somebody else's memory, of words(layout, count).
  Buffers(const PlaneLayout& layout, std::int64_t count, T* data)
      : layout_(layout), count_(count), data_(data) {}

  static std::int64_t words(const PlaneLayout& layout, std::int64_t count) {
    return count * layout.words();
  }

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
  std::optional<LargeBuffer> storage_;
  T* data_;
};

// Returns room for planes of samples, sizes of them, as a tensor [sizes…, words]: what outlives a
// call.
template <typename T>
at::Tensor empty_planes(const PlaneLayout& layout, std::vector<std::int64_t> sizes);

// What the value of an exponent leaves for its gradient of image b: x = d − μ and z = Lᵀx, from
// planes [B,2,S,words].
template <typename T>
struct ExponentPlanes {
  ExponentPlanes(const PlaneLayout& layout, const at::Tensor& planes, std::int64_t b)
      : x(layout, planes.size(2), planes.mutable_data_ptr<T>() + b * planes.stride(0)),
        z(layout, planes.size(2), x.data() + planes.stride(1)) {}
  Buffers<T> x;
  Buffers<T> z;
};

FactorMaps contiguous(const FactorMaps& maps);

}  // namespace supn::cpu
