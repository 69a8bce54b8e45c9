// Random structured Gaussians and their dense matrices, written from the definition alone.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn::test {

inline at::Tensor random_tensor(std::vector<std::int64_t> shape, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
  double* data = tensor.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) data[i] = normal(engine);
  return tensor;
}

struct GaussianShape {
  std::int64_t batch = 2;
  std::int64_t height = 6;
  std::int64_t width = 8;
};

// Well conditioned, and coupled enough for every neighbour to matter.
inline StructuredGaussian random_gaussian(std::int64_t radius,
                                          const GaussianShape& shape = {},
                                          std::uint64_t seed = 1) {
  const Neighbourhood neighbourhood(radius);
  const auto [batch, height, width] = shape;
  return {random_tensor({batch, 1, height, width}, seed),
          random_tensor({batch, 1, height, width}, seed + 1).mul(0.3),
          random_tensor({batch, neighbourhood.size(), height, width}, seed + 2).mul(0.2),
          neighbourhood};
}

// Lᵀ of image b as [N,N] float64, element by element from its definition.
inline at::Tensor dense_factor_transpose(const StructuredGaussian& gaussian, std::int64_t b) {
  const std::int64_t height = gaussian.height();
  const std::int64_t width = gaussian.width();
  const at::Tensor phi = gaussian.log_diagonal().detach().to(at::kDouble).contiguous();
  const at::Tensor psi = gaussian.off_diagonal().detach().to(at::kDouble).contiguous();
  const auto phi_at = phi.accessor<double, 4>();
  const auto psi_at = psi.accessor<double, 4>();
  at::Tensor matrix = at::zeros({height * width, height * width}, phi.options());
  auto entry = matrix.accessor<double, 2>();
  const std::vector<Offset>& offsets = gaussian.neighbourhood().offsets();
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      entry[y * width + x][y * width + x] = std::exp(phi_at[b][0][y][x]);
      for (std::size_t k = 0; k < offsets.size(); ++k) {
        const std::int64_t ny = y + offsets[k].dy;
        const std::int64_t nx = x + offsets[k].dx;
        if (ny < height && nx >= 0 && nx < width) {
          entry[y * width + x][ny * width + nx] = psi_at[b][static_cast<std::int64_t>(k)][y][x];
        }
      }
    }
  }
  return matrix;
}

// matrix_of(b) applied to every sample of x [B,S,H,W].
template <typename MatrixOf>
at::Tensor dense_times(const at::Tensor& x, const MatrixOf& matrix_of) {
  at::Tensor result = at::empty(x.sizes(), x.options().dtype(at::kDouble));
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    const at::Tensor columns = x.select(0, b).reshape({x.size(1), -1}).to(at::kDouble);
    const at::Tensor product = columns.matmul(matrix_of(b).t());
    result.select(0, b).copy_(product.reshape({x.size(1), x.size(2), x.size(3)}));
  }
  return result;
}

inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor difference = a.detach().to(at::kDouble).sub(b.detach().to(at::kDouble)).abs();
  return difference.isnan().any().item<bool>() ? INFINITY : difference.max().item<double>();
}

inline double largest(const at::Tensor& a) { return a.detach().abs().max().item<double>(); }

// Restores the number of threads.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(at::get_num_threads()) {
    at::set_num_threads(threads);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
  ~ThreadCount() { at::set_num_threads(before_); }

 private:
  int before_;
};

struct Case {
  std::int64_t radius;
  at::ScalarType dtype;
  // Per unit of the values compared.
  double tolerance() const { return dtype == at::kDouble ? 1e-12 : 2e-5; }
};

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << "radius " << c.radius << " " << c.dtype;
}

class GaussianTest : public testing::TestWithParam<Case> {
 protected:
  StructuredGaussian gaussian(const GaussianShape& shape = {}) const {
    return random_gaussian(GetParam().radius, shape).to(GetParam().dtype);
  }
  at::Tensor field(const StructuredGaussian& of, std::int64_t samples = 3) const {
    return random_tensor({of.batch(), samples, of.height(), of.width()}, 77).to(GetParam().dtype);
  }
};

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (std::int64_t radius = 0; radius <= 4; ++radius) {
    cases.push_back({radius, at::kDouble});
    cases.push_back({radius, at::kFloat});
  }
  return cases;
}

inline std::string case_name(const testing::TestParamInfo<Case>& info) {
  return "Radius" + std::to_string(info.param.radius) +
         (info.param.dtype == at::kDouble ? "Double" : "Float");
}

}  // namespace supn::test
