// Dense float64 matrices of random structured Gaussians, for the operations that use the
// covariance.
#pragma once

#include <ATen/ops/linalg_inv.h>

#include "gaussian_fixture.hpp"

namespace supn::test {

// Λ = L Lᵀ of image b, [N,N].
inline at::Tensor dense_precision(const StructuredGaussian& gaussian, std::int64_t b = 0) {
  const at::Tensor transpose = dense_factor_transpose(gaussian, b);
  return transpose.t().matmul(transpose);
}

// Σ of image b, [N,N].
inline at::Tensor dense_covariance(const StructuredGaussian& gaussian, std::int64_t b = 0) {
  const at::Tensor inverse = at::linalg_inv(dense_factor_transpose(gaussian, b));
  return inverse.matmul(inverse.t());
}

// diag Σ of every image, [B,1,H,W].
inline at::Tensor dense_variance(const StructuredGaussian& gaussian) {
  at::Tensor result = at::empty(gaussian.mean().sizes(), at::TensorOptions().dtype(at::kDouble));
  for (std::int64_t b = 0; b < gaussian.batch(); ++b) {
    const at::Tensor diagonal = dense_covariance(gaussian, b).diagonal();
    result.select(0, b).copy_(diagonal.reshape({1, gaussian.height(), gaussian.width()}));
  }
  return result;
}

inline at::Tensor indices(std::vector<std::int64_t> values) {
  at::Tensor tensor =
      at::empty({static_cast<std::int64_t>(values.size())}, at::TensorOptions().dtype(at::kLong));
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
  return tensor;
}

inline at::Tensor numbers(std::vector<double> values) {
  at::Tensor tensor =
      at::empty({static_cast<std::int64_t>(values.size())}, at::TensorOptions().dtype(at::kDouble));
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<double>());
  return tensor;
}

// Largest |a − b| in units of the largest |b|.
inline double relative_error(const at::Tensor& a, const at::Tensor& b) {
  return largest_difference(a, b) / largest(b);
}

// A smooth field's factor: the regression whose residual is (1 − aB_y)^p(1 − aB_x)^p x, p = min(r,
// 2), B the shift to the next pixel; marginal variances far above the residual's e^−2φ. r ≥ 1.
inline StructuredGaussian smooth_gaussian(std::int64_t radius, const GaussianShape& shape) {
  const StructuredGaussian g = random_gaussian(radius, shape, 5);
  const double a = 0.95;
  const std::vector<double> p =
      radius == 1 ? std::vector<double>{1, -a} : std::vector<double>{1, -2 * a, a * a};
  const auto order = static_cast<std::int64_t>(p.size()) - 1;
  const at::Tensor phi = g.log_diagonal().mul(0.1).add(std::log(30.0));
  const at::Tensor psi = at::zeros(g.off_diagonal().sizes(), g.off_diagonal().options());
  const std::vector<Offset>& offsets = g.neighbourhood().offsets();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const auto [dy, dx] = offsets[k];
    if (dy > order || dx < 0 || dx > order) continue;
    const double weight = p[static_cast<std::size_t>(dy)] * p[static_cast<std::size_t>(dx)];
    psi.select(1, static_cast<std::int64_t>(k)).copy_(phi.select(1, 0).exp().mul(weight));
  }
  return {g.mean(), phi, psi, g.neighbourhood()};
}

class ByRadius : public testing::TestWithParam<std::int64_t> {};

// Raster orders of radius 0 … 3 and all from coarse to fine.
inline std::vector<Neighbourhood> small_orders() {
  std::vector<Neighbourhood> orders = all_orders();
  std::erase_if(orders,
                [](const Neighbourhood& order) { return order.is_raster() && order.radius() > 3; });
  return orders;
}

inline std::string small_order_name(const testing::TestParamInfo<Neighbourhood>& info) {
  return order_name(info.param);
}

class ByOrder : public testing::TestWithParam<Neighbourhood> {};

}  // namespace supn::test
