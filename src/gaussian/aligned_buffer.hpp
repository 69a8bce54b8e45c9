// Uninitialised storage that starts on a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace supn {

template <typename T>
class AlignedBuffer {
 public:
  // Throws std::bad_alloc.
  explicit AlignedBuffer(std::int64_t count) {
    constexpr std::size_t kLine = 64;
    const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(T) + kLine) / kLine * kLine;
    data_.reset(static_cast<T*>(std::aligned_alloc(kLine, bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
  }

  T* data() const { return data_.get(); }

 private:
  struct Release {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Release> data_;
};

}  // namespace supn
