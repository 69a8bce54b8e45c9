// Precision form solved by a band Cholesky: unknown pixels numbered along the side of the image
// that gives the narrower band.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "band_cholesky.hpp"
#include "precision_system.hpp"

namespace supn {

// Place of each unknown pixel in the numbering, −1 for the others, and what it costs.
struct BandNumbering {
  std::vector<std::int64_t> place;   // [N]
  std::vector<std::int64_t> pixels;  // [n], the inverse
  std::int64_t bandwidth = 0;

  std::int64_t bytes() const {
    return BandCholesky::bytes(static_cast<std::int64_t>(pixels.size()), bandwidth);
  }
};

BandNumbering band_numbering(const StructuredGaussian& gaussian,
                             const ObservationSet& observations);

class BandedSystem : public PrecisionSystem {
 public:
  // Nothing if A is numerically not positive definite.
  static std::unique_ptr<BandedSystem> make(const StructuredGaussian& gaussian,
                                            const ObservationSet& observations,
                                            BandNumbering numbering);

  double log_determinant() override;
  // Throws c10::Error if an observation is exact.
  at::Tensor precision_diagonal() override;
  at::Tensor variance() override;

 protected:
  at::Tensor solve(const at::Tensor& right_side) override;

 private:
  BandedSystem(const StructuredGaussian& gaussian,
               const ObservationSet& observations,
               BandNumbering numbering);
  void assemble();

  BandNumbering numbering_;
  BandCholesky cholesky_;
  at::Tensor variance_;  // once computed
};

}  // namespace supn
