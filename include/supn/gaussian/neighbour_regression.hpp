// The regression of a pixel on its neighbours (simple kriging), of which Vecchia's approximation of a
// field consists, for any covariance:
//
//   w = C⁻¹c,  v = c₀ − cᵀw    C, c, c₀: among the neighbours, between them and the pixel, its own
#pragma once

#include <cstddef>
#include <vector>

namespace supn {

// One pixel after another, in memory that is kept between them.
class NeighbourRegression {
 public:
  // Sets C, c and c₀ of K neighbours: among(i, j) for j ≤ i, to_pixel(i), variance.
  template <class Among, class ToPixel>
  void set(std::size_t neighbours, double variance, const Among& among, const ToPixel& to_pixel) {
    weights_.resize(neighbours);
    factor_.resize(neighbours * neighbours);
    for (std::size_t i = 0; i < neighbours; ++i) {
      for (std::size_t j = 0; j <= i; ++j) factor_[i * neighbours + j] = among(i, j);
      weights_[i] = to_pixel(i);
    }
    variance_ = variance;
  }
  // C must be positive definite.
  void solve();

  const std::vector<double>& weights() const { return weights_; }  // w
  double variance() const { return variance_; }                    // v

 private:
  std::vector<double> factor_;   // [K,K], lower: C, then its Cholesky factor
  std::vector<double> weights_;  // c, then w
  double variance_ = 0.0;
};

}  // namespace supn
