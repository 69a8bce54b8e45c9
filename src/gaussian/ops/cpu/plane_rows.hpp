// Density and gradients in planes share these: samples of an image in planes, and the rows of all
// classes as pieces of work.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "gaussian/huge_pages.hpp"
#include "gaussian/ops/cpu/plane_buffer.hpp"
#include "gaussian/ops/cpu/plane_layout.hpp"

namespace supn::cpu {

inline constexpr std::int64_t kRowsAtOnce = 8;

struct RowOfClass {
  std::size_t level;
  std::size_t plane;
  std::int64_t row;
};

inline std::vector<RowOfClass> rows_of(const PlaneLayout& layout) {
  std::vector<RowOfClass> rows;
  for (std::size_t l = 0; l < layout.levels().size(); ++l) {
    const std::vector<Plane>& classes = layout.levels()[l].classes;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      for (std::int64_t i = 0; i < classes[c].rows; ++i) rows.push_back({l, c, i});
    }
  }
  return rows;
}

// Samples of one image, a buffer each.
template <typename T>
class Buffers {
 public:
  Buffers(const PlaneLayout& layout, std::int64_t count, const at::TensorOptions& options)
      : layout_(layout),
        count_(count),
        storage_(empty_on_huge_pages({count, layout.words()}, options)),
        data_(storage_.mutable_data_ptr<T>()) {}

  T* data() const { return data_; }
  T* at(std::int64_t i) const { return data_ + i * layout_.words(); }

  // Buffer i becomes images[i] − mean; mean may be nullptr.
  void read(const T* images, const T* mean) {
    const std::int64_t pixels = layout_.size().height * layout_.size().width;
    at::parallel_for(0, count_, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<T> difference(mean == nullptr ? 0 : static_cast<std::size_t>(pixels));
      for (std::int64_t i = begin; i < end; ++i) {
        const T* image = images + i * pixels;
        if (mean != nullptr) {
          for (std::int64_t n = 0; n < pixels; ++n) {
            difference[static_cast<std::size_t>(n)] = image[n] - mean[n];
          }
          image = difference.data();
        }
        read_image(layout_, image, Channel<T>{at(i)});
      }
    });
  }

 private:
  const PlaneLayout& layout_;
  std::int64_t count_;
  at::Tensor storage_;
  T* data_;
};

}  // namespace supn::cpu
