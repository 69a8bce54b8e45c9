#include "supn/gaussian/functional.hpp"

#include <ATen/ops/zeros.h>

#include "dense_oracle.hpp"

namespace supn::test {
namespace {

using Functional = ByOrder;

TEST_P(Functional, MomentsAreTheDenseOnes) {
  const StructuredGaussian g = random_gaussian(GetParam());
  const at::Tensor weights = random_tensor({3, 6, 8}, 21);
  const at::Tensor rows = weights.reshape({3, 48});
  const at::Tensor mean = functional_mean(g, weights);
  const at::Tensor variance = functional_variance(g, weights);
  const at::Tensor covariance = functional_covariance(g, weights);
  for (std::int64_t b = 0; b < g.batch(); ++b) {
    const at::Tensor expected = rows.matmul(dense_covariance(g, b)).matmul(rows.t());
    EXPECT_LT(largest_difference(mean[b], rows.matmul(g.mean()[b].reshape({48}))), 1e-11);
    EXPECT_LT(relative_error(covariance[b], expected), 1e-12);
    EXPECT_LT(relative_error(variance[b], expected.diagonal()), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Functional, testing::ValuesIn(small_orders()), small_order_name);

at::Tensor plane(double offset, double slope_x, double slope_y) {
  at::Tensor d = at::zeros({6, 8}, at::TensorOptions().dtype(at::kDouble));
  auto value = d.accessor<double, 2>();
  for (std::int64_t y = 0; y < 6; ++y) {
    for (std::int64_t x = 0; x < 8; ++x) {
      value[y][x] = offset + slope_x * static_cast<double>(x) + slope_y * static_cast<double>(y);
    }
  }
  return d;
}

TEST(FunctionalWeights, OfABoxAverageTheBox) {
  const at::Tensor d = random_tensor({6, 8}, 5);
  const at::Tensor weights = box_mean_weights({6, 8}, {1, 2, 3, 4});
  const double expected = d.narrow(0, 1, 3).narrow(1, 2, 4).mean().item<double>();
  EXPECT_NEAR(weights[0].mul(d).sum().item<double>(), expected, 1e-14);
}

TEST(FunctionalWeights, OfADifferenceSubtract) {
  const at::Tensor d = random_tensor({6, 8}, 5);
  const double expected = d[1][3].item<double>() - d[4][0].item<double>();
  EXPECT_NEAR(difference_weights({6, 8}, 11, 32)[0].mul(d).sum().item<double>(), expected, 1e-14);
  EXPECT_EQ(largest(difference_weights({6, 8}, 7, 7)), 0.0);
}

TEST(FunctionalWeights, OfAPlaneGiveItsSlopes) {
  const at::Tensor weights = plane_slope_weights({6, 8}, {2, 1, 3, 5});
  const at::Tensor slopes = weights.mul(plane(7.0, 0.25, -2.0)).sum({1, 2});
  EXPECT_LT(largest_difference(slopes, numbers({0.25, -2.0})), 1e-13);
}

TEST(FunctionalWeights, RefuseBoxesOutsideAndTooSmall) {
  EXPECT_THROW(box_mean_weights({6, 8}, {4, 0, 3, 1}), c10::Error);
  EXPECT_THROW(box_mean_weights({6, 8}, {0, 0, 0, 1}), c10::Error);
  EXPECT_THROW(box_mean_weights({6, 8}, {0, -1, 1, 1}), c10::Error);
  EXPECT_THROW(plane_slope_weights({6, 8}, {0, 0, 1, 5}), c10::Error);
  EXPECT_THROW(difference_weights({6, 8}, 0, 48), c10::Error);
}

TEST(FunctionalVariance, RefusesWeightsThatDoNotFit) {
  const StructuredGaussian g = random_gaussian(1);
  EXPECT_THROW(functional_variance(g, random_tensor({1, 6, 7}, 1)), c10::Error);
  EXPECT_THROW(functional_variance(g, random_tensor({6, 8}, 1)), c10::Error);
  EXPECT_THROW(functional_variance(g, random_tensor({1, 6, 8}, 1).mul(NAN)), c10::Error);
}

}  // namespace
}  // namespace supn::test
