#include "supn/gaussian/vecchia.hpp"

#include <cmath>
#include <cstddef>

#include "supn/gaussian/neighbour_regression.hpp"

namespace supn {
namespace {

constexpr double kNugget = 1e-9;

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
  NeighbourRegression regression;
  regression.set(
      neighbours.size(),
      1.0 + kNugget,
      [&](std::size_t i, std::size_t j) {
        return correlation(neighbours[i], neighbours[j]) + (i == j ? kNugget : 0.0);
      },
      [&](std::size_t i) {
        return correlation(neighbours[i], {0, 0});
      });
  regression.solve();
  return {regression.weights(), regression.variance()};
}

}  // namespace supn
