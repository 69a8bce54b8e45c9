// Cholesky factorisation of a symmetric positive definite band matrix, in tiles, so that nearly all
// of the work is matrix products (LibTorch exports no LAPACK band routines).
//
// Unknowns come in groups of kTile or fewer; the panel of a group holds its columns of the lower
// triangle from the diagonal tile down to the band's end, row-major. n·b words, n·b² multiply-adds
// for A = C·Cᵀ; as many again for the diagonal of A⁻¹. float64.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace supn {

class BandCholesky {
 public:
  // Zero matrix of n ≥ 0 unknowns; entries more than `bandwidth` off the diagonal are zero.
  BandCholesky(std::int64_t n, std::int64_t bandwidth);

  // Bytes that a matrix of this kind takes.
  static std::int64_t bytes(std::int64_t n, std::int64_t bandwidth);

  // Entry of the lower triangle, row ≥ column, row − column ≤ bandwidth.
  double& entry(std::int64_t row, std::int64_t column) {
    return data_[column / tile_ * panel_size_ + (row - column / tile_ * tile_) * tile_ +
                 column % tile_];
  }

  // Replaces A by C. False if A is numerically not positive definite. All below need it.
  bool factorize();

  // A⁻¹b, b [n,S].
  at::Tensor solve(const at::Tensor& b) const;
  double log_determinant() const;
  // diag A⁻¹ [n], by Takahashi's recursion from the last group back.
  at::Tensor inverse_diagonal() const;

 private:
  at::Tensor diagonal_tile(std::int64_t group) const;
  // The rows of the group's panel below its diagonal tile, as far as the matrix goes.
  at::Tensor below(std::int64_t group) const;

  std::int64_t n_;
  std::int64_t tile_;
  std::int64_t groups_;
  std::int64_t panel_rows_;
  std::int64_t panel_size_;
  at::Tensor panels_;  // [groups, panel_rows, tile]; unknowns past n are decoupled and 1
  double* data_;
};

}  // namespace supn
