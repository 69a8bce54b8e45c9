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
inline StructuredGaussian random_gaussian(const Neighbourhood& neighbourhood,
                                          const GaussianShape& shape = {},
                                          std::uint64_t seed = 1) {
  const auto [batch, height, width] = shape;
  return {random_tensor({batch, 1, height, width}, seed),
          random_tensor({batch, 1, height, width}, seed + 1).mul(0.3),
          random_tensor({batch, neighbourhood.size(), height, width}, seed + 2).mul(0.2),
          neighbourhood};
}

inline StructuredGaussian random_gaussian(std::int64_t radius,
                                          const GaussianShape& shape = {},
                                          std::uint64_t seed = 1) {
  return random_gaussian(Neighbourhood(radius), shape, seed);
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
  for (const PixelClass& pixels : gaussian.neighbourhood().classes(gaussian.size())) {
    for (std::int64_t y = pixels.row; y < height; y += pixels.stride) {
      for (std::int64_t x = pixels.column; x < width; x += pixels.stride) {
        entry[y * width + x][y * width + x] = std::exp(phi_at[b][0][y][x]);
        for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
          const std::int64_t ny = y + pixels.offsets[k].dy;
          const std::int64_t nx = x + pixels.offsets[k].dx;
          if (ny >= 0 && ny < height && nx >= 0 && nx < width) {
            entry[y * width + x][ny * width + nx] = psi_at[b][static_cast<std::int64_t>(k)][y][x];
          }
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
  Neighbourhood neighbourhood;
  at::ScalarType dtype;
  // Per unit of the values compared.
  double tolerance() const { return dtype == at::kDouble ? 1e-12 : 2e-5; }
};

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << c.neighbourhood.description() << ", " << c.dtype;
}

class GaussianTest : public testing::TestWithParam<Case> {
 protected:
  StructuredGaussian gaussian(const GaussianShape& shape = {}) const {
    return random_gaussian(GetParam().neighbourhood, shape).to(GetParam().dtype);
  }
  at::Tensor field(const StructuredGaussian& of, std::int64_t samples = 3) const {
    return random_tensor({of.batch(), samples, of.height(), of.width()}, 77).to(GetParam().dtype);
  }
};

// Raster orders, and orders from coarse to fine with few levels on the tiny images of the tests.
inline std::vector<Neighbourhood> all_orders() {
  std::vector<Neighbourhood> orders;
  for (std::int64_t radius = 0; radius <= 4; ++radius) orders.emplace_back(radius);
  orders.emplace_back(CoarseToFine{.classes = 3, .neighbours = 12, .levels = 5});
  orders.emplace_back(CoarseToFine{.classes = 12, .neighbours = 12, .levels = 5});
  orders.emplace_back(CoarseToFine{.classes = 12, .neighbours = 20, .levels = 1});
  return orders;
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Neighbourhood& order : all_orders()) {
    cases.push_back({order, at::kDouble});
    cases.push_back({order, at::kFloat});
  }
  return cases;
}

inline std::vector<Case> raster_cases() {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [](const Case& c) { return !c.neighbourhood.is_raster(); });
  return cases;
}

// A name for GoogleTest: Radius2, Classes12Neighbours20Levels1.
inline std::string order_name(const Neighbourhood& order) {
  if (order.is_raster()) return "Radius" + std::to_string(order.radius());
  const CoarseToFine& c = order.coarse_to_fine();
  return "Classes" + std::to_string(c.classes) + "Neighbours" + std::to_string(c.neighbours) +
         "Levels" + std::to_string(c.levels);
}

inline std::string case_name(const testing::TestParamInfo<Case>& info) {
  return order_name(info.param.neighbourhood) +
         (info.param.dtype == at::kDouble ? "Double" : "Float");
}

}  // namespace supn::test
