// Conditioning by dense algebra, straight from its equations.
#pragma once

#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/ones.h>

#include "dense_oracle.hpp"
#include "supn/gaussian/conditioning.hpp"

namespace supn::test {

using Method = ConditioningMethod;

constexpr double kTolerance = 1e-10;

inline ConditioningOptions by(Method method) { return {.method = method, .tolerance = 1e-13}; }

// Observations must not repeat an exact pixel.
class DenseConditioning {
 public:
  DenseConditioning(const StructuredGaussian& g, const Observations& observations)
      : shape_(g.mean().sizes().vec()),
        mean_(g.mean().reshape({-1})),
        covariance_(dense_covariance(g)),
        pixels_(observations.pixels),
        noise_variance_(observations.noise_variance),
        residual_(observations.values.sub(mean_.index_select(0, pixels_))) {
    rows_ = covariance_.index_select(0, pixels_);
    matrix_ = rows_.index_select(1, pixels_).add(noise_variance_.diag());
    inverse_ = at::linalg_inv(matrix_);
  }

  at::Tensor mean() const {
    return mean_.add(rows_.t().matmul(inverse_.matmul(residual_))).reshape(shape_);
  }
  at::Tensor variance() const {
    const at::Tensor reduction = rows_.mul(inverse_.matmul(rows_)).sum(0);
    return covariance_.diagonal().sub(reduction).reshape(shape_);
  }
  at::Tensor covariance() const {
    return covariance_.sub(rows_.t().matmul(inverse_.matmul(rows_)));
  }
  at::Tensor sample(const at::Tensor& draw, const at::Tensor& noise) const {
    const at::Tensor flat = draw.reshape({-1});
    const at::Tensor residual = residual_.add(mean_.sub(flat).index_select(0, pixels_))
                                    .add(noise.mul(noise_variance_.sqrt()));
    return flat.add(rows_.t().matmul(inverse_.matmul(residual))).reshape(shape_);
  }
  double log_evidence() const {
    const double square = residual_.dot(inverse_.matmul(residual_)).item<double>();
    const double constant =
        static_cast<double>(residual_.size(0)) * std::log(2.0 * 3.14159265358979323846);
    return -0.5 * (square + matrix_.logdet().item<double>() + constant);
  }
  // Each observation against what the others predict, one at a time.
  double distance(std::int64_t i) const {
    const std::int64_t count = residual_.size(0);
    std::vector<std::int64_t> rest;
    for (std::int64_t j = 0; j < count; ++j) {
      if (j != i) rest.push_back(j);
    }
    const at::Tensor others = indices(rest);
    const at::Tensor cross = matrix_.select(0, i).index_select(0, others);
    const at::Tensor gain =
        at::linalg_inv(matrix_.index_select(0, others).index_select(1, others)).matmul(cross);
    const double predicted = gain.dot(residual_.index_select(0, others)).item<double>();
    const double variance = matrix_[i][i].item<double>() - gain.dot(cross).item<double>();
    return std::abs(residual_[i].item<double>() - predicted) / std::sqrt(variance);
  }

 private:
  std::vector<std::int64_t> shape_;
  at::Tensor mean_;
  at::Tensor covariance_;
  at::Tensor pixels_;
  at::Tensor noise_variance_;
  at::Tensor residual_;
  at::Tensor rows_;
  at::Tensor matrix_;
  at::Tensor inverse_;
};

// Of a 6 × 8 image.
inline Observations exact_observations() {
  return {indices({40, 3, 17, 18, 47}), random_tensor({5}, 31), numbers({0, 0, 0, 0, 0})};
}

// Pixel 17 twice.
inline Observations noisy_observations() {
  return {indices({40, 17, 3, 17, 18, 47}),
          random_tensor({6}, 32),
          numbers({0.1, 0.2, 0.01, 0.3, 2.0, 0.5})};
}

// Pixel 17 exactly and with noise.
inline Observations mixed_observations() {
  return {indices({40, 17, 3, 17, 18, 47}),
          random_tensor({6}, 33),
          numbers({0.1, 0.0, 0.0, 0.3, 2.0, 0.0})};
}

}  // namespace supn::test
