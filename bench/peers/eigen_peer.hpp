// Eigen's sparse triangular solve and product, in float32.
//
// Eigen has no parallel triangular solve: one call runs on one thread. Its product with a matrix in
// compressed rows is parallel (OpenMP) and is given all threads. Compiled for this very processor.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "../competitor.hpp"
#include "../sparse_factor.hpp"

namespace supn::bench {

class EigenPeer {
 public:
  explicit EigenPeer(const SparseFactor& factor);
  ~EigenPeer();
  EigenPeer(EigenPeer&&) noexcept;
  EigenPeer& operator=(EigenPeer&&) noexcept;

  // L⁻ᵀb, b [1,S,H,W] float32: Lᵀ in compressed rows or columns, right-hand sides in columns or
  // rows. The result is written over a copy of b in memory that is ready. Valid as long as this
  // object.
  std::vector<Competitor> transpose_solves(const at::Tensor& b) const;

  // The same with the right-hand sides dealt out to ATen's threads, which is not Eigen's doing.
  std::vector<Competitor> parallel_transpose_solves(const at::Tensor& b) const;

  // log p(d) [1,1] of one d [1,1,H,W] float32, given Σφ.
  std::vector<Competitor> log_probs(const at::Tensor& d,
                                    const at::Tensor& mean,
                                    double log_diagonal_sum) const;

 private:
  struct Matrices;
  std::unique_ptr<Matrices> matrices_;
};

}  // namespace supn::bench
