#include "supn/gaussian/isotropic_field.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace supn {
namespace {

constexpr std::int64_t kPixelsAtOnce = 8192;

// Returns distances between pixels [P] and [K] of an image: [P,K].
at::Tensor distances(const at::Tensor& first, const at::Tensor& second, std::int64_t width) {
  const auto row = [&](const at::Tensor& pixels) {
    return pixels.div(width, "floor").to(at::kDouble);
  };
  const auto column = [&](const at::Tensor& pixels) {
    return pixels.remainder(width).to(at::kDouble);
  };
  const at::Tensor dy = row(first).unsqueeze(1) - row(second);
  const at::Tensor dx = column(first).unsqueeze(1) - column(second);
  return (dy.square() + dx.square()).sqrt();
}

at::Tensor correlation(const at::Tensor& distance, double length) {
  return (distance / -length).exp();
}

// The search needs this of an image.
struct Image {
  at::Tensor distance;  // [K,K]
  at::Tensor values;    // [K,1]
};

// −2·log density up to a constant, with the best std for these; and that std².
struct Profile {
  double value = std::numeric_limits<double>::infinity();
  double variance = 0.0;
};

// ratio = noise/std.
Profile profile(const std::vector<Image>& images, double length, double ratio) {
  double squares = 0.0;
  double log_determinant = 0.0;
  double count = 0.0;
  for (const Image& image : images) {
    at::Tensor m = correlation(image.distance, length);
    m.diagonal().add_(ratio * ratio);
    const auto [root, info] = at::linalg_cholesky_ex(m);
    if (info.item<int>() != 0) return {};
    squares += at::linalg_solve_triangular(root, image.values, /*upper=*/false)
                   .square()
                   .sum()
                   .item<double>();
    log_determinant += 2.0 * root.diagonal().log().sum().item<double>();
    count += static_cast<double>(image.values.size(0));
  }
  const double variance = squares / count;
  return {count * std::log(variance) + log_determinant, variance};
}

}  // namespace

IsotropicPosterior::IsotropicPosterior(const IsotropicField& field, const FieldPoints& points)
    : field_(field), points_(points) {
  at::Tensor m = covariance(points.pixels);
  m.diagonal().add_(field.noise * field.noise);
  const auto [root, info] = at::linalg_cholesky_ex(m);
  TORCH_CHECK(info.item<int>() == 0,
              "IsotropicPosterior: the points' covariance is not positive definite; give a noise");
  root_ = root;
  const at::Tensor whitened = at::linalg_solve_triangular(
      root, points.values.to(at::kDouble).unsqueeze(1), /*upper=*/false);
  weights_ = at::linalg_solve_triangular(root.t(), whitened, /*upper=*/true);
}

at::Tensor IsotropicPosterior::covariance(const at::Tensor& pixels) const {
  return correlation(distances(points_.pixels, pixels, points_.width), field_.length)
      .mul_(field_.std * field_.std);
}

at::Tensor IsotropicPosterior::mean(const ImageSize& size) const {
  const at::Tensor pixels =
      at::arange(size.height * size.width, at::TensorOptions().dtype(at::kLong));
  std::vector<at::Tensor> parts;
  for (const at::Tensor& part : pixels.split(kPixelsAtOnce)) {
    parts.push_back(at::matmul(covariance(part).t(), weights_).squeeze(1));
  }
  return at::cat(parts).view({size.height, size.width});
}

at::Tensor IsotropicPosterior::variance(const at::Tensor& pixels) const {
  const at::Tensor known =
      at::linalg_solve_triangular(root_, covariance(pixels), /*upper=*/false).square().sum(0);
  return (field_.std * field_.std - known).clamp_min_(0.0);
}

IsotropicField fit_isotropic_field(std::span<const FieldPoints> all) {
  std::vector<Image> images;
  for (const FieldPoints& points : all) {
    if (points.pixels.size(0) == 0) continue;
    images.push_back({distances(points.pixels, points.pixels, points.width),
                      points.values.to(at::kDouble).unsqueeze(1)});
  }
  TORCH_CHECK(!images.empty(), "fit_isotropic_field: expected a point, got none");
  // A pattern search: the best of three by three around the last best, on ever finer logarithmic
  // steps.
  double length = 64.0;
  double ratio = 0.25;
  Profile best = profile(images, length, ratio);
  for (double step = 4.0; step > 1.01;) {
    double next_length = length;
    double next_ratio = ratio;
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        const double l = length * std::pow(step, i);
        const double r = std::max(ratio * std::pow(step, j), 1e-4);
        const Profile candidate = profile(images, l, r);
        if (candidate.value >= best.value) continue;
        best = candidate;
        next_length = l;
        next_ratio = r;
      }
    }
    if (next_length == length && next_ratio == ratio) step = std::sqrt(step);
    length = next_length;
    ratio = next_ratio;
  }
  const double std = std::sqrt(best.variance);
  return {.std = std, .length = length, .noise = ratio * std};
}

}  // namespace supn
