// The map pointer says where the off-diagonal maps ψ [B,K,H,W] of a factor begin.
//
// Independent pixels (K = 0) have none, and their tensor has a null pointer; kernels that step from
// row to row would add offsets to it, which is undefined even where nothing is read. For those it
// is the pointer of the diagonal's maps, along which the same steps stay inside an array.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

template <typename T>
const T* map_pointer(const at::Tensor& off_diagonal, const T* diagonal) {
  return off_diagonal.numel() > 0 ? off_diagonal.const_data_ptr<T>() : diagonal;
}

template <typename T>
T* mutable_map_pointer(const at::Tensor& off_diagonal, T* diagonal) {
  return off_diagonal.numel() > 0 ? off_diagonal.mutable_data_ptr<T>() : diagonal;
}

}  // namespace supn
