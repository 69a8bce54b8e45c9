#include "supn/network/off_diagonal.hpp"

#include <ATen/Context.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

constexpr std::int64_t kHeight = 6;
constexpr std::int64_t kWidth = 8;
const at::TensorOptions kF64 = at::TensorOptions(at::kDouble);

// Σ_k map_k S_k as a dense [N,N] matrix, from the definition.
at::Tensor dense(const at::Tensor& maps, const std::vector<Offset>& offsets) {
  at::Tensor matrix = at::zeros({kHeight * kWidth, kHeight * kWidth}, kF64);
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    for (std::int64_t y = 0; y < kHeight; ++y) {
      for (std::int64_t x = 0; x < kWidth; ++x) {
        const std::int64_t row = y + offsets[k].dy;
        const std::int64_t column = x + offsets[k].dx;
        if (row >= kHeight || column < 0 || column >= kWidth) continue;
        matrix[y * kWidth + x][row * kWidth + column] +=
            maps[0][static_cast<std::int64_t>(k)][y][x];
      }
    }
  }
  return matrix;
}

at::Tensor identity() { return at::eye(kHeight * kWidth, kF64); }

at::Tensor random_maps(std::int64_t count, double scale) {
  at::manual_seed(3);
  return at::randn({1, count, kHeight, kWidth}, kF64) * scale;
}

TEST(OffDiagonal, FactoredStencilIsTheProductOfItsFactors) {
  for (const std::int64_t radius : {1, 2}) {
    const Neighbourhood neighbourhood(radius);
    const at::Tensor raw = random_maps(2 * radius, 2.0);
    const at::Tensor phi = random_maps(1, 0.5);

    const at::Tensor psi = off_diagonal_maps(OffDiagonalForm::kFactored, raw, phi, neighbourhood);

    at::Tensor product = identity();
    const at::Tensor coefficients = factor_coefficients(raw);
    for (std::int64_t i = 0; i < 2 * radius; ++i) {
      const Offset shift = i % 2 == 0 ? Offset{0, 1} : Offset{1, 0};
      product = product.matmul(identity() - dense(coefficients.narrow(1, i, 1), {shift}));
    }
    const at::Tensor scale = phi.exp().reshape({-1, 1});
    const at::Tensor expected = scale * (product - identity());
    EXPECT_LT((dense(psi, neighbourhood.offsets()) - expected).abs().max().item<double>(), 1e-13);
  }
}

TEST(OffDiagonal, TwofoldStencilIsTheProductOfTwoStencils) {
  const Neighbourhood neighbourhood(2);
  const at::Tensor raw = random_maps(8, 2.0);
  const at::Tensor phi = random_maps(1, 0.5);

  const at::Tensor psi = off_diagonal_maps(OffDiagonalForm::kTwofold, raw, phi, neighbourhood);

  const auto stencil = [&](std::int64_t first) {
    const at::Tensor maps = raw.narrow(1, first, 4);
    return dense(0.995 * maps / (1 + maps.abs().sum(1, true)), Neighbourhood(1).offsets());
  };
  const at::Tensor product = (identity() - stencil(0)).matmul(identity() - stencil(4));
  const at::Tensor expected = phi.exp().reshape({-1, 1}) * (product - identity());
  EXPECT_LT((dense(psi, neighbourhood.offsets()) - expected).abs().max().item<double>(), 1e-13);
}

TEST(OffDiagonal, ComposeRefusesAProductThatLeavesTheNeighbourhood) {
  const at::Tensor map = random_maps(1, 1.0);
  EXPECT_THROW(compose_factors({{{0, 1}, map}, {{0, 1}, map}}, Neighbourhood(1)), c10::Error);
}

double rho(const at::Tensor& psi, const at::Tensor& phi) {
  return (psi.abs().sum(1, true) / phi.exp()).max().item<double>();
}

TEST(OffDiagonal, ContractiveStaysBelowOneForExtremeMaps) {
  for (const std::int64_t radius : {1, 2, 3}) {
    const Neighbourhood neighbourhood(radius);
    const at::Tensor raw = random_maps(neighbourhood.size(), 1e6);
    const at::Tensor phi = random_maps(1, 3.0);

    const at::Tensor psi =
        off_diagonal_maps(OffDiagonalForm::kContractive, raw, phi, neighbourhood);

    EXPECT_LT(rho(psi, phi), 1.0);
    EXPECT_GT(rho(psi, phi), 0.99);  // extreme maps come close: the test looks at the right thing
  }
}

// The largest |sample| of many, for e^φ = 1, on a wide image where an unstable recursion would
// explode.
double largest_sample(OffDiagonalForm form, double scale) {
  const Neighbourhood neighbourhood(2);
  at::manual_seed(5);
  const at::Tensor raw = at::randn({1, raw_map_count(form, neighbourhood), 48, 160}, kF64) * scale;
  const at::Tensor phi = at::zeros({1, 1, 48, 160}, kF64);
  const StructuredGaussian gaussian(
      phi, phi, off_diagonal_maps(form, raw, phi, neighbourhood), neighbourhood);
  const std::uint64_t seed = 9;
  const at::Tensor noise = standard_normal({&seed, 1}, {0, 8}, {48, 160}, kF64);
  return solve_factor_transpose(gaussian, noise).abs().max().item<double>();
}

TEST(OffDiagonal, FactoredSamplesAreBoundedForExtremeMaps) {
  // In the sup norm the inverses are bounded by 1/(1−0.99) and 1/(1−0.8), each twice.
  const double bound = 100.0 * 100.0 * 5.0 * 5.0 * 6.8;
  for (const double scale : {1.0, 10.0, 1e6}) {
    EXPECT_LT(largest_sample(OffDiagonalForm::kFactored, scale), bound) << scale;
  }
}

TEST(OffDiagonal, TwofoldSamplesAreBoundedForExtremeMaps) {
  const double bound = 200.0 * 200.0 * 6.8;
  for (const double scale : {1.0, 10.0, 1e6}) {
    EXPECT_LT(largest_sample(OffDiagonalForm::kTwofold, scale), bound) << scale;
  }
}

TEST(OffDiagonal, ContractiveSamplesAreBoundedForExtremeMaps) {
  // Σ|w| < 1, so |s| ≤ max|ε| / (1 − max Σ|w|), and 1 − Σ|w| = 1/(1 + Σ|M|).
  for (const double scale : {0.1, 1.0, 10.0}) {
    const double bound = 6.8 * (1.0 + 12 * 6.0 * scale);
    EXPECT_LT(largest_sample(OffDiagonalForm::kContractive, scale), bound) << scale;
  }
}

TEST(OffDiagonal, UnboundedFormsDoExplodeOnTheSameMaps) {
  EXPECT_FALSE(largest_sample(OffDiagonalForm::kNone, 10.0) < 1e6);
}

// The weights w of the recursion that a form starts from: its starting bias as maps, everywhere.
at::Tensor starting_weights(OffDiagonalForm form, std::int64_t radius) {
  const Neighbourhood neighbourhood(radius);
  at::Tensor bias = at::zeros({raw_map_count(form, neighbourhood)}, kF64);
  set_starting_bias(form, neighbourhood, bias);
  const at::Tensor raw = bias.view({1, -1, 1, 1}).expand({1, bias.numel(), kHeight, kWidth});
  const at::Tensor phi = at::zeros({1, 1, kHeight, kWidth}, kF64);
  // At the top in the middle, where no neighbour is outside.
  return -off_diagonal_maps(form, raw, phi, neighbourhood).select(2, 0).select(2, 3)[0];
}

double weight_of(const at::Tensor& weights, std::int64_t radius, const Offset& offset) {
  const std::vector<Offset> offsets = Neighbourhood(radius).offsets();
  const auto index = std::find(offsets.begin(), offsets.end(), offset) - offsets.begin();
  return weights[index].item<double>();
}

TEST(OffDiagonal, ContractiveStartsFromTheRightAndTheLowerNeighbour) {
  for (const std::int64_t radius : {1, 2, 3}) {
    const at::Tensor weights = starting_weights(OffDiagonalForm::kContractive, radius);
    EXPECT_NEAR(weight_of(weights, radius, {0, 1}), 4.0 / 9.0, 1e-12) << radius;
    EXPECT_NEAR(weight_of(weights, radius, {1, 0}), 4.0 / 9.0, 1e-12) << radius;
    EXPECT_NEAR(weights.abs().sum().item<double>(), 8.0 / 9.0, 1e-12) << radius;
  }
}

TEST(OffDiagonal, FactoredStartsFromASeparableField) {
  const double first = 0.99 * std::tanh(1.5);
  const double second = 0.8 * std::tanh(0.2);
  const at::Tensor narrow = starting_weights(OffDiagonalForm::kFactored, 1);
  EXPECT_NEAR(weight_of(narrow, 1, {0, 1}), first, 1e-12);
  EXPECT_NEAR(weight_of(narrow, 1, {1, 0}), first, 1e-12);
  EXPECT_NEAR(weight_of(narrow, 1, {1, 1}), -first * first, 1e-12);
  const at::Tensor wide = starting_weights(OffDiagonalForm::kFactored, 2);
  EXPECT_NEAR(weight_of(wide, 2, {0, 1}), first + second, 1e-12);
  EXPECT_NEAR(weight_of(wide, 2, {0, 2}), -first * second, 1e-12);
  EXPECT_NEAR(weight_of(wide, 2, {2, 0}), -first * second, 1e-12);
}

TEST(OffDiagonal, TwofoldStartsFromOneNeighbourInEachStencil) {
  const double start = 0.995 * 4.0 / 5.0;
  const at::Tensor weights = starting_weights(OffDiagonalForm::kTwofold, 2);
  EXPECT_NEAR(weight_of(weights, 2, {0, 1}), start, 1e-12);
  EXPECT_NEAR(weight_of(weights, 2, {1, 0}), start, 1e-12);
  EXPECT_NEAR(weight_of(weights, 2, {1, 1}), -start * start, 1e-12);
  EXPECT_NEAR(weights.abs().sum().item<double>(), 2 * start + start * start, 1e-12);
}

TEST(OffDiagonal, LocalStdMatchesTheStationaryField) {
  // Constant coefficients: in the middle of a large image the marginal variance is the formula's.
  const Neighbourhood neighbourhood(2);
  const at::Tensor raw = at::ones({1, 4, 40, 40}, kF64);
  const at::Tensor coefficients = factor_coefficients(raw * 0.5);
  const at::Tensor phi = at::ones({1, 1, 40, 40}, kF64) * 0.7;
  const at::Tensor psi =
      off_diagonal_maps(OffDiagonalForm::kFactored, raw * 0.5, phi, neighbourhood);
  const StructuredGaussian gaussian(phi, phi, psi, neighbourhood);

  // Σ_nn = ‖row n of L⁻ᵀ‖² = ‖L⁻¹e_n‖²; the recursion runs from the bottom right, so look at the
  // top left.
  at::Tensor unit = at::zeros({1, 1, 40, 40}, kF64);
  unit[0][0][2][2] = 1.0;
  const double variance = solve_factor(gaussian, unit).square().sum().item<double>();

  const double formula = local_log_std(coefficients, phi)[0][0][2][2].item<double>();
  EXPECT_NEAR(0.5 * std::log(variance), formula, 1e-3);
}

}  // namespace
}  // namespace supn
