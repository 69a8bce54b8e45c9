#include "supn/evaluation/calibration/tail_values.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_inv.h>
#include <gtest/gtest.h>

#include "gaussian/dense_oracle.hpp"

namespace supn {
namespace {

using test::indices;

// Points of a 6 × 8 image, by dense algebra.
TEST(TailValues, AreTheDeviationsOfTheLastGivenTheFirst) {
  const StructuredGaussian gaussian = test::random_gaussian(2, {1, 6, 8});
  const at::Tensor pixels = indices({40, 3, 17, 18, 47, 5, 22});
  const at::Tensor covariance =
      test::dense_covariance(gaussian).index_select(0, pixels).index_select(1, pixels);
  const PointGaussian joint{gaussian.mean().reshape({-1}).index_select(0, pixels), covariance};
  const at::Tensor values = test::random_tensor({7}, 3);
  const at::Tensor noise = test::random_tensor({7}, 4).square().add(0.1);

  const TailValues found = tail_values(joint, values, noise, 3, 2);

  const at::Tensor first = indices({0, 1, 2});
  const at::Tensor last = indices({5, 6});
  const at::Tensor among = covariance.index_select(0, first).index_select(1, first) +
                           noise.index_select(0, first).diag();
  const at::Tensor cross = covariance.index_select(0, last).index_select(1, first);
  const at::Tensor gain = cross.matmul(at::linalg_inv(among));
  const at::Tensor e = values - joint.mean;
  const at::Tensor mean = gain.matmul(e.index_select(0, first));
  const at::Tensor prior = covariance.diagonal().index_select(0, last);
  const at::Tensor variance = prior - gain.mul(cross).sum(1) + noise.index_select(0, last);
  EXPECT_TRUE(found.deviations.allclose((e.index_select(0, last) - mean) / variance.sqrt(), 1e-9));
  EXPECT_TRUE(found.ratios.allclose((variance / prior).sqrt().clamp_max(1.0), 1e-9));
  EXPECT_THROW(tail_values(joint, values, noise, 6, 2), c10::Error);
  EXPECT_THROW(tail_values(joint, values, noise, 0, 2), c10::Error);
}

}  // namespace
}  // namespace supn
