#include "supn/gaussian/neighbour_regression.hpp"

#include <cmath>

namespace supn {

// Each row of Cholesky's factor takes its step of the forward substitution along; the variance is
// what is left of c₀.
void NeighbourRegression::solve() {
  const std::size_t n = weights_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = factor_.data() + i * n;
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * factor_[j * n + k];
      row[j] = i == j ? std::sqrt(sum) : sum / factor_[j * n + j];
    }
    for (std::size_t k = 0; k < i; ++k) weights_[i] -= row[k] * weights_[k];
    weights_[i] /= row[i];
    variance_ -= weights_[i] * weights_[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) weights_[i] -= factor_[k * n + i] * weights_[k];
    weights_[i] /= factor_[i * n + i];
  }
}

}  // namespace supn
