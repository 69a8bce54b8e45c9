#include "supn/gaussian/isotropic_field.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace supn {
namespace {

constexpr std::int64_t kRows = 20;
constexpr std::int64_t kColumns = 30;

at::Tensor covariance(const IsotropicField& field, const at::Tensor& pixels) {
  const at::Tensor y = pixels.div(kColumns, "floor").to(at::kDouble);
  const at::Tensor x = pixels.remainder(kColumns).to(at::kDouble);
  const at::Tensor distance =
      ((y.unsqueeze(1) - y).square() + (x.unsqueeze(1) - x).square()).sqrt();
  return (distance / -field.length).exp() * (field.std * field.std);
}

TEST(IsotropicField, RegressesAsTheDenseFormulaSays) {
  const IsotropicField field{.std = 0.3, .length = 7.0, .noise = 0.1};
  const at::Tensor known = at::tensor({5, 100, 333, 599}, at::kLong);
  const at::Tensor values = at::tensor({0.1, -0.2, 0.3, 0.05}, at::kDouble);
  const IsotropicPosterior posterior(field, {known, values, kColumns});

  const at::Tensor all = covariance(field, at::arange(kRows * kColumns, at::kLong));
  const at::Tensor cross = all.index_select(1, known);
  const at::Tensor inverse =
      at::linalg_inv(cross.index_select(0, known) + at::eye(4, at::kDouble) * 0.01);
  const at::Tensor mean = at::matmul(cross, at::matmul(inverse, values));
  const at::Tensor variance = all.diagonal() - (at::matmul(cross, inverse) * cross).sum(1);
  EXPECT_TRUE(posterior.mean({kRows, kColumns}).flatten().allclose(mean, 1e-10, 1e-12));
  const at::Tensor some = at::tensor({0, 100, 400}, at::kLong);
  EXPECT_TRUE(posterior.variance(some).allclose(variance.index_select(0, some), 1e-10, 1e-12));
}

TEST(IsotropicField, IsFoundFromItsOwnDraws) {
  const IsotropicField field{.std = 0.2, .length = 6.0, .noise = 0.05};
  at::manual_seed(3);
  std::vector<FieldPoints> images;
  for (int i = 0; i < 40; ++i) {
    const at::Tensor pixels = at::randperm(kRows * kColumns, at::kLong).narrow(0, 0, 80);
    const at::Tensor root = at::linalg_cholesky(
        covariance(field, pixels) + at::eye(80, at::kDouble) * (field.noise * field.noise));
    images.push_back({pixels, at::matmul(root, at::randn({80}, at::kDouble)), kColumns});
  }
  const IsotropicField fit = fit_isotropic_field(images);
  EXPECT_NEAR(fit.std / field.std, 1.0, 0.1);
  EXPECT_NEAR(fit.length / field.length, 1.0, 0.2);
  EXPECT_NEAR(fit.noise / field.noise, 1.0, 0.2);
}

TEST(IsotropicField, OfNoPointsIsTheField) {
  const IsotropicField field{.std = 0.3, .length = 7.0, .noise = 0.1};
  const at::Tensor none = at::arange(0, at::kLong);
  const IsotropicPosterior posterior(field, {none, at::arange(0, at::kDouble), kColumns});
  EXPECT_EQ(posterior.mean({kRows, kColumns}).abs().max().item<double>(), 0.0);
  EXPECT_NEAR(posterior.variance(at::arange(3, at::kLong))[1].item<double>(), 0.09, 1e-12);
  EXPECT_THROW(fit_isotropic_field({}), c10::Error);
}

}  // namespace
}  // namespace supn
