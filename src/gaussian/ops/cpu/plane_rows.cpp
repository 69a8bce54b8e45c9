#include "gaussian/ops/cpu/plane_rows.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "gaussian/kernels/rows.hpp"

namespace supn::cpu {

template <typename T>
Buffers<T>::Buffers(const PlaneLayout& layout, std::int64_t count)
    : layout_(layout),
      count_(count),
      storage_(LargeBuffer::of<T>(words(layout, count))),
      data_(storage_->as<T>()) {}

template <typename T>
void Buffers<T>::read(const T* images, const T* mean) {
  const std::int64_t height = layout_.size().height;
  const std::int64_t width = layout_.size().width;
  const std::int64_t bands = (height + kRowsAtOnce - 1) / kRowsAtOnce;
  at::parallel_for(0, count_ * bands, 1, [&](std::int64_t begin, std::int64_t end) {
    AlignedBuffer<T> difference(width);
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t i = item / bands;
      const Channel<T> buffer{data_ + i * layout_.words()};
      const std::int64_t first = item % bands * kRowsAtOnce;
      if (first == 0) clear_margins(layout_, buffer);
      for (std::int64_t y = first; y < std::min(first + kRowsAtOnce, height); ++y) {
        const T* row = images + (i * height + y) * width;
        if (mean != nullptr) {
          row::subtract<T>(difference.data(), row, mean + y * width, width);
          row = difference.data();
        }
        read_row(layout_, y, row, buffer);
      }
    }
  });
}

template <typename T>
void Buffers<T>::clear() {
  constexpr std::int64_t kWordsAtOnce = std::int64_t{1} << 15;
  const std::int64_t words = count_ * layout_.words();
  at::parallel_for(0, words, kWordsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    std::fill(data_ + begin, data_ + end, T{0});
  });
}

template <typename T>
void Buffers<T>::write(T* images, const T* mean) {
  const std::int64_t height = layout_.size().height;
  const std::int64_t width = layout_.size().width;
  at::parallel_for(0, count_ * height, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Channel<T> buffer{data_ + i / height * layout_.words()};
      T* row = images + i * width;
      write_row(layout_, i % height, buffer, row);
      if (mean == nullptr) continue;
      const T* of_mean = mean + i % height * width;
      for (std::int64_t j = 0; j < width; ++j) row[j] += of_mean[j];
    }
  });
}

template <typename T>
at::Tensor empty_planes(const PlaneLayout& layout, std::vector<std::int64_t> sizes) {
  sizes.push_back(layout.words());
  const auto storage = std::make_shared<LargeBuffer>(
      LargeBuffer::of<T>(c10::multiply_integers(sizes.begin(), sizes.end())));
  return at::from_blob(
      storage->data(),
      sizes,
      [storage](void*) {},
      at::TensorOptions(c10::CppTypeToScalarType<T>::value));
}

FactorMaps contiguous(const FactorMaps& maps) {
  return {maps.log_diagonal.contiguous(), maps.off_diagonal.contiguous(), maps.neighbourhood};
}

template class Buffers<float>;
template class Buffers<double>;
template at::Tensor empty_planes<float>(const PlaneLayout&, std::vector<std::int64_t>);
template at::Tensor empty_planes<double>(const PlaneLayout&, std::vector<std::int64_t>);

}  // namespace supn::cpu
