#include "supn/gaussian/vecchia.hpp"

#include <cmath>

namespace supn {
namespace {

constexpr double kNugget = 1e-9;

// x = A⁻¹b by Cholesky's factor; A [n,n] positive definite, row by row, is overwritten.
std::vector<double> solved(std::vector<double>& a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return b;
}

}  // namespace

double matern_correlation(Smoothness smoothness, double distance) {
  const auto scaled = [&](double factor) { return std::sqrt(factor) * distance; };
  switch (smoothness) {
    case Smoothness::kHalf:
      return std::exp(-distance);
    case Smoothness::kThreeHalves:
      return (1.0 + scaled(3.0)) * std::exp(-scaled(3.0));
    case Smoothness::kFiveHalves:
      return (1.0 + scaled(5.0) + scaled(5.0) * scaled(5.0) / 3.0) * std::exp(-scaled(5.0));
  }
  return 0.0;
}

PixelRegression regression_on(std::span<const Offset> neighbours,
                              Smoothness smoothness,
                              double length) {
  const auto correlation = [&](const Offset& a, const Offset& b) {
    const double distance =
        std::hypot(static_cast<double>(a.dy - b.dy), static_cast<double>(a.dx - b.dx));
    return matern_correlation(smoothness, distance / length);
  };
  std::vector<double> among;
  std::vector<double> to_pixel;
  for (const Offset& a : neighbours) {
    for (const Offset& b : neighbours) {
      among.push_back(correlation(a, b) + (a == b ? kNugget : 0.0));
    }
    to_pixel.push_back(correlation(a, {0, 0}));
  }
  PixelRegression result{solved(among, to_pixel), 1.0 + kNugget};
  for (std::size_t k = 0; k < to_pixel.size(); ++k) {
    result.variance -= to_pixel[k] * result.weights[k];
  }
  return result;
}

}  // namespace supn
