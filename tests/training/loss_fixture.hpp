// Small random Gaussians with their dense factors, and gradients by finite differences.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

inline constexpr std::int64_t kBatch = 2;
inline constexpr std::int64_t kMembers = 3;

struct Maps {
  at::Tensor mean, log_diagonal, off_diagonal;
  StructuredGaussian gaussian() const {
    return {mean, log_diagonal, off_diagonal, Neighbourhood(1)};
  }
};

inline Maps random_maps(std::int64_t height, std::int64_t width, std::uint64_t seed) {
  at::manual_seed(seed);
  const auto options = at::TensorOptions().dtype(at::kDouble);
  return {at::randn({kBatch, 1, height, width}, options),
          at::randn({kBatch, 1, height, width}, options) * 0.3 + 0.5,
          at::randn({kBatch, 4, height, width}, options) * 0.3};
}

inline at::Tensor random_predictions(const Maps& maps) {
  return maps.mean +
         at::randn({kBatch, kMembers, maps.mean.size(2), maps.mean.size(3)}, maps.mean.options());
}

// Lᵀ of image b as a dense [N,N] matrix, from the definition.
inline at::Tensor dense_transposed_factor(const Maps& maps, std::int64_t b) {
  const std::int64_t height = maps.mean.size(2);
  const std::int64_t width = maps.mean.size(3);
  at::Tensor matrix = at::diag(maps.log_diagonal[b].exp().flatten());
  const auto offsets = Neighbourhood(1).offsets();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    for (std::int64_t y = 0; y + offsets[k].dy < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const std::int64_t column = x + offsets[k].dx;
        if (column < 0 || column >= width) continue;
        const std::int64_t target = (y + offsets[k].dy) * width + column;
        matrix[y * width + x][target] = maps.off_diagonal[b][static_cast<std::int64_t>(k)][y][x];
      }
    }
  }
  return matrix;
}

inline void expect_gradient_by_differences(const at::Tensor& variable,
                                           const std::function<at::Tensor()>& loss) {
  const at::Tensor gradient = at::zeros_like(variable);
  variable.set_requires_grad(true);
  variable.mutable_grad() = at::Tensor();
  loss().backward();
  gradient.copy_(variable.grad());
  variable.set_requires_grad(false);
  const double step = 1e-6;
  const at::Tensor flat = variable.view(-1);
  double largest = 0.0;
  for (std::int64_t i = 0; i < flat.size(0); i += 7) {
    const double value = flat[i].item<double>();
    flat[i] = value + step;
    const double above = loss().item<double>();
    flat[i] = value - step;
    const double below = loss().item<double>();
    flat[i] = value;
    const double expected = (above - below) / (2.0 * step);
    EXPECT_NEAR(gradient.view(-1)[i].item<double>(), expected, 1e-7 + 1e-5 * std::abs(expected))
        << "element " << i;
    largest = std::max(largest, std::abs(expected));
  }
  EXPECT_GT(largest, 1e-4) << "a loss that does not depend on the variable shows nothing";
}

// The matching terms move the spread, not the mean.
inline void expect_gradient_in_the_factor_alone(Maps& maps,
                                                const std::function<at::Tensor()>& loss) {
  expect_gradient_by_differences(maps.log_diagonal, loss);
  expect_gradient_by_differences(maps.off_diagonal, loss);
  maps.log_diagonal.set_requires_grad(true);
  maps.mean.set_requires_grad(true);
  loss().backward();
  EXPECT_FALSE(maps.mean.grad().defined());
}

}  // namespace supn
