// Cholesky factorisation of a positive definite matrix that couples pixels near each other, by
// fronts over a nested dissection of the image (multifrontal: Duff and Reid 1983), and the diagonal
// of its inverse by the same tree (Erisman and Tinney 1975). float64; every result is the same for
// every number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "gaussian/large_buffer.hpp"
#include "gaussian/sparse/lane_matrix.hpp"
#include "gaussian/sparse/nested_dissection.hpp"
#include "gaussian/sparse/stencil_matrix.hpp"

namespace supn {

class SparseCholesky {
 public:
  // Takes the rows and columns of the pixels that the dissection orders.
  SparseCholesky(StencilMatrix matrix, Dissection dissection);

  // False if the matrix is numerically not positive definite. All below need true.
  bool factorize();

  // Returns A⁻¹b for fields b [S,N]; 0 at the pixels that take no part, whatever b is there.
  at::Tensor solve(const at::Tensor& b) const;
  double log_determinant() const;
  // diag A⁻¹ [N], 0 at the pixels that take no part.
  at::Tensor inverse_diagonal() const;

 private:
  const Front& front(std::int64_t index) const {
    return dissection_.fronts()[static_cast<std::size_t>(index)];
  }
  // Returns the front's columns of the factor.
  lanes::View panel(std::int64_t index) const;
  // Solves for kLanes fields side by side, [N,kLanes].
  void solve_fields(double* fields) const;

  StencilMatrix matrix_;
  Dissection dissection_;
  std::vector<std::int64_t> start_;  // of each panel, in words
  LargeBuffer words_;
};

}  // namespace supn
