#include "supn/network/kriging.hpp"

#include <ATen/TracerMode.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <map>
#include <vector>

namespace supn {
namespace {

// Keeps the covariance of close pixels of a smooth field positive definite in float64.
constexpr double kNugget = 1e-10;

struct Regression {
  std::vector<double> weights;  // of the neighbours in use
  double log_diagonal;
};

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

Regression regression(const std::vector<Offset>& offsets,
                      const StartingField& field,
                      double length) {
  const auto correlation = [&](const Offset& a, const Offset& b) {
    const double distance =
        std::hypot(static_cast<double>(a.dy - b.dy), static_cast<double>(a.dx - b.dx));
    return matern_correlation(field.smoothness, distance / length);
  };
  std::vector<double> among;
  std::vector<double> to_pixel;
  for (const Offset& a : offsets) {
    for (const Offset& b : offsets) among.push_back(correlation(a, b) + (a == b ? kNugget : 0.0));
    to_pixel.push_back(correlation(a, {0, 0}));
  }
  Regression result{solved(among, to_pixel), 0.0};
  double variance = 1.0 + kNugget;
  for (std::size_t k = 0; k < to_pixel.size(); ++k) variance -= to_pixel[k] * result.weights[k];
  result.log_diagonal = -0.5 * std::log(field.std * field.std * variance);
  return result;
}

// Regressions of a class's pixels by which of their neighbours exist: there are few such patterns.
class ClassRegressions {
 public:
  ClassRegressions(const PixelClass& pixels, const ImageSize& size, const StartingField& field)
      : pixels_(pixels), size_(size), field_(field) {}

  void write(std::int64_t row, std::int64_t column, Kriging& result) {
    const std::vector<std::size_t> present = neighbours_of(row, column);
    const auto [found, is_new] = by_pattern_.try_emplace(present);
    if (is_new) {
      std::vector<Offset> offsets;
      for (const std::size_t k : present) offsets.push_back(pixels_.offsets[k]);
      found->second = regression(offsets, field_, field_.length * static_cast<double>(size_.width));
    }
    const std::int64_t plane = size_.height * size_.width;
    const std::int64_t pixel = row * size_.width + column;
    result.log_diagonal.data_ptr<float>()[pixel] = static_cast<float>(found->second.log_diagonal);
    for (std::size_t i = 0; i < present.size(); ++i) {
      const std::int64_t place = static_cast<std::int64_t>(present[i]) * plane + pixel;
      result.weights.data_ptr<float>()[place] = static_cast<float>(found->second.weights[i]);
      result.neighbours.data_ptr<float>()[place] = 1.0F;
    }
  }

 private:
  std::vector<std::size_t> neighbours_of(std::int64_t row, std::int64_t column) const {
    std::vector<std::size_t> present;
    for (std::size_t k = 0; k < pixels_.offsets.size(); ++k) {
      const Offset& offset = pixels_.offsets[k];
      const bool is_inside = row + offset.dy >= 0 && row + offset.dy < size_.height &&
                             column + offset.dx >= 0 && column + offset.dx < size_.width;
      if (is_inside) present.push_back(k);
    }
    return present;
  }

  const PixelClass& pixels_;
  const ImageSize& size_;
  const StartingField& field_;
  std::map<std::vector<std::size_t>, Regression> by_pattern_;
};

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

Kriging kriging(const Neighbourhood& neighbourhood,
                const ImageSize& size,
                const StartingField& field) {
  TORCH_CHECK(!neighbourhood.is_raster(), "kriging: the order is ", neighbourhood.description());
  // Tracing (torch_script.cpp) would not see the values written below.
  const at::tracer::impl::NoTracerDispatchMode untraced;
  Kriging result{at::zeros({1, 1, size.height, size.width}),
                 at::zeros({1, neighbourhood.size(), size.height, size.width}),
                 at::zeros({1, neighbourhood.size(), size.height, size.width})};
  for (const PixelClass& pixels : neighbourhood.classes(size)) {
    ClassRegressions regressions(pixels, size, field);
    for (std::int64_t row = pixels.row; row < size.height; row += pixels.stride) {
      for (std::int64_t column = pixels.column; column < size.width; column += pixels.stride) {
        regressions.write(row, column, result);
      }
    }
  }
  return result;
}

}  // namespace supn
