// A sparse Cholesky factor solves the precision form.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "gaussian/conditioning/precision_system.hpp"
#include "gaussian/conditioning/system_report.hpp"
#include "gaussian/sparse/sparse_cholesky.hpp"

namespace supn {

// Orders the pixels that are not known exactly.
Dissection unknown_dissection(const StructuredGaussian& gaussian,
                              const ObservationSet& observations);

class SparseSystem : public PrecisionSystem {
 public:
  // Returns nothing if A is numerically not positive definite.
  static std::unique_ptr<SparseSystem> make(const StructuredGaussian& gaussian,
                                            const ObservationSet& observations,
                                            Dissection dissection,
                                            SystemReport& report);

  double log_determinant() override;
  // Throws c10::Error if an observation is exact.
  at::Tensor precision_diagonal() override;
  at::Tensor variance() override;

 protected:
  at::Tensor solve(const at::Tensor& right_side) override;

 private:
  SparseSystem(const StructuredGaussian& gaussian,
               const ObservationSet& observations,
               Dissection dissection,
               SystemReport& report);
  StencilMatrix matrix() const;

  SystemReport& report_;
  SparseCholesky cholesky_;
  at::Tensor variance_;  // once computed
};

}  // namespace supn
