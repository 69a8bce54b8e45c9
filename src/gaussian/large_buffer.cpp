#include "gaussian/large_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "gaussian/huge_pages.hpp"

namespace supn {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

LargeBuffer::LargeBuffer(std::int64_t count) {
  const std::size_t wanted = static_cast<std::size_t>(count) * sizeof(double);
  const std::size_t alignment = wanted < kHugePage ? kCacheLine : kHugePage;
  const std::size_t bytes =
      std::max<std::size_t>(1, (wanted + alignment - 1) / alignment) * alignment;
  data_.reset(static_cast<double*>(std::aligned_alloc(alignment, bytes)));
  if (data_ == nullptr) throw std::bad_alloc();
  prefer_huge_pages(data_.get(), bytes);
}

void LargeBuffer::Release::operator()(double* data) const { std::free(data); }

}  // namespace supn
