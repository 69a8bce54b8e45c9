// Uninitialised storage for megabytes that are walked in many short strides: on huge pages where
// the system has them, since translation misses would otherwise dominate. Storage that is given
// back is kept for the next buffer of its size: to get a density's planes afresh from the system
// takes as long as the density.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace supn {

class LargeBuffer {
 public:
  // What the process keeps at most, the oldest going first, and the least that is worth keeping.
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes
  static constexpr std::size_t kLeastKept = std::size_t{64} << 10;

  // Room for `count` numbers of float64, or of T. These throw std::bad_alloc.
  explicit LargeBuffer(std::int64_t count);
  template <typename T>
  static LargeBuffer of(std::int64_t count) {
    constexpr auto kInOne = static_cast<std::int64_t>(sizeof(double) / sizeof(T));
    return LargeBuffer((count + kInOne - 1) / kInOne);
  }

  double* data() const { return data_.get(); }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_.get());
  }

 private:
  struct Release {
    std::size_t bytes;
    void operator()(double* data) const;
  };
  std::unique_ptr<double, Release> data_;
};

}  // namespace supn
