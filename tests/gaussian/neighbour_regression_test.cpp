#include "supn/gaussian/neighbour_regression.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

// A positive definite covariance [n,n] of n − 1 neighbours and the pixel, which comes last.
at::Tensor covariance(std::int64_t n) {
  const std::array<std::uint64_t, 1> seeds{5};
  const at::Tensor x =
      standard_normal(seeds, {0, 1}, {n, n}, at::TensorOptions().dtype(at::kDouble))[0][0];
  return at::matmul(x, x.t()) + at::eye(n, at::kDouble) * 0.1;
}

void solve(const at::Tensor& all, NeighbourRegression& regression) {
  const std::int64_t k = all.size(0) - 1;
  const auto entry = [&](std::size_t i, std::size_t j) {
    return all[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(j)].item<double>();
  };
  const auto last = static_cast<std::size_t>(k);
  regression.set(last, entry(last, last), entry, [&](std::size_t i) { return entry(i, last); });
  regression.solve();
}

TEST(NeighbourRegression, IsTheDenseOneForAnyNumberOfNeighbours) {
  NeighbourRegression regression;
  for (const std::int64_t k : {12, 3, 1}) {  // fewer than the pixel before had
    const at::Tensor all = covariance(k + 1);
    solve(all, regression);
    const at::Tensor to_pixel = all[k].narrow(0, 0, k);
    const at::Tensor among = all.narrow(0, 0, k).narrow(1, 0, k);
    const at::Tensor expected = at::matmul(at::linalg_inv(among), to_pixel);
    ASSERT_EQ(regression.weights().size(), static_cast<std::size_t>(k));
    for (std::int64_t i = 0; i < k; ++i) {
      EXPECT_NEAR(
          regression.weights()[static_cast<std::size_t>(i)], expected[i].item<double>(), 1e-9);
    }
    EXPECT_NEAR(regression.variance(), (all[k][k] - expected.dot(to_pixel)).item<double>(), 1e-9);
  }
}

TEST(NeighbourRegression, KeepsTheVarianceWithoutNeighbours) {
  NeighbourRegression regression;
  solve(covariance(1), regression);
  EXPECT_TRUE(regression.weights().empty());
  EXPECT_EQ(regression.variance(), covariance(1).item<double>());
}

}  // namespace
}  // namespace supn
