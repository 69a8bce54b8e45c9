// A structured Gaussian is joint over a dense prediction, N(μ, (L Lᵀ)⁻¹), with a sparse
// lower-triangular Cholesky factor L of the precision:
//
//   (Lᵀx)_n = exp(φ_n)·x_n + Σ_k ψ_k[n]·x[n + o_k]
//
// ψ_k[n] is stored at pixel n and couples n to n + o_k; it is never read at the neighbour. A
// neighbour outside the image contributes nothing and gets no gradient. A value: immutable, cheap
// to copy (tensors are shared), everything done with it is a free function in a header of this
// folder. Shapes: μ, φ [B,1,H,W]; ψ [B,K,H,W]; one dtype (float32 or float64), one device.
// Densities are over logits unless the holder says otherwise.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/image_size.hpp"

namespace supn {

class StructuredGaussian {
 public:
  // Throws c10::Error naming the tensor, the expected and the given shape, dtype or device. For
  // radius 0 off_diagonal is [B,0,H,W].
  StructuredGaussian(at::Tensor mean,
                     at::Tensor log_diagonal,
                     at::Tensor off_diagonal,
                     Neighbourhood neighbourhood);

  const at::Tensor& mean() const { return mean_; }                  // μ [B,1,H,W]
  const at::Tensor& log_diagonal() const { return log_diagonal_; }  // φ [B,1,H,W]
  const at::Tensor& off_diagonal() const { return off_diagonal_; }  // ψ [B,K,H,W]
  const Neighbourhood& neighbourhood() const { return neighbourhood_; }

  std::int64_t batch() const { return mean_.size(0); }
  std::int64_t height() const { return mean_.size(2); }
  std::int64_t width() const { return mean_.size(3); }
  std::int64_t pixels() const { return height() * width(); }  // N

  ImageSize size() const { return {height(), width()}; }

  StructuredGaussian to(at::ScalarType dtype) const;
  StructuredGaussian to(at::Device device) const;
  StructuredGaussian detach() const;
  // Returns image b alone, batch size 1.
  StructuredGaussian image(std::int64_t b) const;
  // Returns the images' rows from `row` on. In raster order L is among these rows what it was, since
  // none depends on an earlier one; throws c10::Error for another order.
  StructuredGaussian rows_from(std::int64_t row) const;

 private:
  at::Tensor mean_;
  at::Tensor log_diagonal_;
  at::Tensor off_diagonal_;
  Neighbourhood neighbourhood_;
};

}  // namespace supn
