// Numbers of which the last is followed by memory that can't be touched: a kernel that reads or
// writes beyond its rows is stopped.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace supn {

template <typename T>
class AtTheEnd {
 public:
  template <class Values>
  explicit AtTheEnd(const Values& values) : count_(values.size()) {
    const std::size_t pages = (values.size() * sizeof(T) / kPage + 1) * kPage;
    auto* const memory = static_cast<char*>(std::aligned_alloc(kPage, pages + kPage));
    if (::mprotect(memory + pages, kPage, PROT_NONE) != 0) std::abort();
    data_ = reinterpret_cast<T*>(memory + pages) - count_;
    std::copy(values.begin(), values.end(), data_);
  }
  T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + count_; }

 private:
  static constexpr std::size_t kPage = 65536;  // at most
  std::size_t count_;
  T* data_;  // kept to the program's end
};

}  // namespace supn
