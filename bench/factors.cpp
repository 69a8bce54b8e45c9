#include "factors.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "supn/gaussian/vecchia.hpp"

namespace supn::bench {
namespace {

// In [0, 1], slowly varying; `phase` tells fields apart.
double smooth_field(std::int64_t y, std::int64_t x, double phase) {
  const double row = static_cast<double>(y);
  const double column = static_cast<double>(x);
  return 0.5 + 0.5 * std::sin(0.013 * column * (1 + 0.3 * phase) + 1.7 * phase) *
                   std::cos(0.021 * row + 0.9 * phase);
}

// What one pixel says about its neighbours: φ, and ψ in the order of the offsets given.
struct PixelFactor {
  double log_diagonal;
  std::vector<double> off_diagonal;
};

PixelFactor well_pixel(std::size_t neighbours, double field, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  PixelFactor pixel{0.5 * (field - 0.5) + 0.1 * normal(engine), std::vector<double>(neighbours)};
  double sum = 0;
  for (double& value : pixel.off_diagonal) {
    value = normal(engine);
    sum += std::abs(value);
  }
  for (double& value : pixel.off_diagonal) value *= 0.5 * std::exp(pixel.log_diagonal) / sum;
  return pixel;
}

struct FieldStatistics {
  double length;
  double deviation;
};

FieldStatistics field_statistics(std::int64_t y, std::int64_t x) {
  return {50 + 50 * smooth_field(y, x, 0), 0.7 + 0.6 * smooth_field(y, x, 2)};
}

struct InsideNeighbours {
  std::vector<Offset> offsets;
  std::vector<std::int64_t> channels;
};

InsideNeighbours neighbours_inside(const std::vector<Offset>& offsets,
                                   const Offset& pixel,
                                   const ImageSize& size) {
  InsideNeighbours inside;
  std::int64_t channel = 0;
  for (const Offset& offset : offsets) {
    const std::int64_t row = pixel.dy + offset.dy;
    const std::int64_t column = pixel.dx + offset.dx;
    if (row >= 0 && row < size.height && column >= 0 && column < size.width) {
      inside.offsets.push_back(offset);
      inside.channels.push_back(channel);
    }
    ++channel;
  }
  return inside;
}

Smoothness smoothness_of(FactorKind kind) {
  switch (kind) {
    case FactorKind::kMatern05:
      return Smoothness::kHalf;
    case FactorKind::kMatern15:
      return Smoothness::kThreeHalves;
    case FactorKind::kMatern25:
      return Smoothness::kFiveHalves;
    case FactorKind::kWell:
      break;
  }
  TORCH_CHECK(false, "matern_correlation: 'well' is no Matérn field");
}

PixelFactor matern_pixel(FactorKind kind,
                         std::span<const Offset> neighbours,
                         const FieldStatistics& field) {
  PixelRegression regression = regression_on(neighbours, smoothness_of(kind), field.length);
  const double diagonal = 1 / (field.deviation * std::sqrt(regression.variance));
  for (double& weight : regression.weights) weight *= -diagonal;
  return {std::log(diagonal), std::move(regression.weights)};
}

// float32, filled pixel by pixel.
struct Maps {
  Maps(const ImageSize& size, std::int64_t neighbours)
      : mean(at::zeros({1, 1, size.height, size.width}, at::TensorOptions(at::kFloat))),
        log_diagonal(at::zeros_like(mean)),
        off_diagonal(at::zeros({1, neighbours, size.height, size.width}, mean.options())) {}

  void write(const Offset& at,
             const std::vector<std::int64_t>& channels,
             const PixelFactor& pixel) {
    const std::int64_t width = mean.size(3);
    const std::int64_t place = at.dy * width + at.dx;
    mean.mutable_data_ptr<float>()[place] = static_cast<float>(smooth_field(at.dy, at.dx, 1));
    log_diagonal.mutable_data_ptr<float>()[place] = static_cast<float>(pixel.log_diagonal);
    float* weights = off_diagonal.mutable_data_ptr<float>();
    for (std::size_t i = 0; i < channels.size(); ++i) {
      weights[channels[i] * mean.size(2) * width + place] =
          static_cast<float>(pixel.off_diagonal[i]);
    }
  }

  at::Tensor mean;
  at::Tensor log_diagonal;
  at::Tensor off_diagonal;
};

}  // namespace

std::string_view factor_name(FactorKind kind) {
  switch (kind) {
    case FactorKind::kWell:
      return "well";
    case FactorKind::kMatern05:
      return "m05";
    case FactorKind::kMatern15:
      return "m15";
    case FactorKind::kMatern25:
      return "m25";
  }
  TORCH_CHECK(false, "factor_name: no such kind");
}

double matern_correlation(FactorKind kind, double distance, double length) {
  return supn::matern_correlation(smoothness_of(kind), distance / length);
}

StructuredGaussian make_factor(FactorKind kind,
                               const ImageSize& size,
                               const Neighbourhood& neighbourhood,
                               at::ScalarType dtype) {
  Maps maps(size, neighbourhood.size());
  std::mt19937_64 engine(1);
  for (const PixelClass& pixels : neighbourhood.classes(size)) {
    for (std::int64_t y = pixels.row; y < size.height; y += pixels.stride) {
      for (std::int64_t x = pixels.column; x < size.width; x += pixels.stride) {
        const InsideNeighbours inside = neighbours_inside(pixels.offsets, {y, x}, size);
        maps.write({y, x},
                   inside.channels,
                   kind == FactorKind::kWell
                       ? well_pixel(inside.offsets.size(), smooth_field(y, x, 3), engine)
                       : matern_pixel(kind, inside.offsets, field_statistics(y, x)));
      }
    }
  }
  return StructuredGaussian(maps.mean, maps.log_diagonal, maps.off_diagonal, neighbourhood)
      .to(dtype);
}

}  // namespace supn::bench
