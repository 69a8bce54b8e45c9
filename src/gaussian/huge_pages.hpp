// Results of many megabytes lie on huge pages: fresh memory comes from the kernel 2 MiB at a time
// in place of 4 KiB, and many samples written side by side miss fewer address translations.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace supn {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;  // bytes

// Wishes for huge pages where the memory covers some whole; where the system grants none everything
// works, slower. What is there already stays as it is.
void prefer_huge_pages(void* data, std::size_t bytes);

// at::empty, on huge pages where it is large.
at::Tensor empty_on_huge_pages(at::IntArrayRef sizes, const at::TensorOptions& options);

}  // namespace supn
