#include "supn/gaussian/tails.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace supn {
namespace {

const Tails kHeavy{0.2, 1.45};

TEST(Tails, AreAGaussiansWhereNothingIsKnown) {
  const at::Tensor z = at::tensor({-1.6449, 0.0, 0.6745}, at::kDouble);
  const at::Tensor one = at::full({2}, 1.0, at::kDouble);
  EXPECT_TRUE(tail_quantiles(kHeavy, z, one).allclose(z.unsqueeze(1).expand({3, 2}), 1e-9));
  EXPECT_TRUE(tail_quantiles({}, z, one * 0.3).allclose(z.unsqueeze(1).expand({3, 2}), 1e-9));
  const at::Tensor x = at::tensor({0.5, -2.0}, at::kDouble);
  const at::Tensor normal = x.square() * -0.5 - 0.5 * std::log(2.0 * std::numbers::pi);
  EXPECT_TRUE(tail_log_density(kHeavy, x, one).allclose(normal, 1e-9));
}

// The density, integrated numerically up to the quantile of p, is p.
TEST(Tails, HaveTheQuantilesOfTheirDensity) {
  for (const double rho : {0.1, 0.5, 0.9}) {
    const at::Tensor ratio = at::full({1}, rho, at::kDouble);
    for (const auto& [p, z] :
         {std::pair{0.25, -0.6744897501960817}, std::pair{0.95, 1.6448536269514722}}) {
      const double end =
          tail_quantiles(kHeavy, at::full({1}, z, at::kDouble), ratio).item<double>();
      const std::int64_t cells = 400000;
      const double start = -100.0;
      const double step = (end - start) / static_cast<double>(cells);
      const at::Tensor x = at::linspace(start + step / 2.0, end - step / 2.0, cells, at::kDouble);
      const double mass = tail_log_density(kHeavy, x, ratio).exp().sum().item<double>() * step;
      EXPECT_NEAR(mass, p, 1e-6) << rho;
    }
  }
}

TEST(Tails, NarrowTheMiddleAndWidenTheEndsTheMoreIsKnown) {
  const at::Tensor z = at::tensor({0.6745, 1.6449, 3.0}, at::kDouble);
  const at::Tensor x = tail_quantiles(kHeavy, z, at::tensor({0.2, 0.6}, at::kDouble));
  EXPECT_LT(x[0][0].item<double>(), x[0][1].item<double>());
  EXPECT_LT(x[0][1].item<double>(), 0.6745);
  EXPECT_GT((x[2][0] / x[0][0]).item<double>(), 3.0 / 0.6745);
}

TEST(Tails, AreFoundAgain) {
  std::vector<TailValues> parts;
  for (const double rho : {0.2, 0.5, 0.8}) {
    const at::Tensor ratio = at::full({20000}, rho, at::kDouble);
    // x of standard normal z, by the quantiles' formula, one by one.
    const at::Tensor z = at::randn({20000}, at::kDouble);
    const double width = kHeavy.width + (1.0 - kHeavy.width) * rho;
    const double weight = kHeavy.weight * (1.0 - rho);
    parts.push_back({(z * weight).sinh() / weight * width, ratio});
  }
  const Tails found = fit_tails(parts);
  EXPECT_NEAR(found.width, kHeavy.width, 0.02);
  EXPECT_NEAR(found.weight, kHeavy.weight, 0.06);
  const TailValues normal{at::randn({20000}, at::kDouble), at::full({20000}, 0.3, at::kDouble)};
  const Tails none = fit_tails({&normal, 1});
  EXPECT_NEAR(none.width, 1.0, 0.03);
  EXPECT_LT(none.weight, 0.2);
  EXPECT_THROW(fit_tails({}), c10::Error);
}

}  // namespace
}  // namespace supn
