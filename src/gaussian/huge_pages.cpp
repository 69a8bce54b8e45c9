#include "gaussian/huge_pages.hpp"

#include <ATen/ops/empty.h>

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace supn {
void prefer_huge_pages(void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t end = (begin + bytes) / kHugePage * kHugePage;
  if (end <= first) return;
#ifdef __linux__
  madvise(static_cast<std::byte*>(data) + (first - begin), end - first, MADV_HUGEPAGE);
#endif
}

at::Tensor empty_on_huge_pages(at::IntArrayRef sizes, const at::TensorOptions& options) {
  at::Tensor result = at::empty(sizes, options);
  if (result.is_cpu()) prefer_huge_pages(result.mutable_data_ptr(), result.nbytes());
  return result;
}

}  // namespace supn
