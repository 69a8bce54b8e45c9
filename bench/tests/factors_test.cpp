#include "factors.hpp"

#include <ATen/ops/linalg_inv.h>
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "gaussian/gaussian_fixture.hpp"

namespace supn::bench {
namespace {

const Neighbourhood kWindow(2);

// Σ|ψ|/e^φ of every pixel [1,1,H,W].
at::Tensor couplings(const StructuredGaussian& gaussian) {
  const at::Tensor sum = gaussian.off_diagonal().abs().sum(1, true);
  return sum.div(gaussian.log_diagonal().exp());
}

// Its largest value.
double coupling(const StructuredGaussian& gaussian) {
  return couplings(gaussian).max().item<double>();
}

// Its largest value where the whole window is inside the image. At the borders one-sided windows
// extrapolate, with larger weights: up to 3.9 for m15 and 6.7 for m25.
double coupling_inside(const StructuredGaussian& gaussian) {
  const std::int64_t radius = kWindow.radius();
  return couplings(gaussian)
      .narrow(2, 0, gaussian.height() - radius)
      .narrow(3, radius, gaussian.width() - 2 * radius)
      .max()
      .item<double>();
}

at::Tensor dense_covariance(const StructuredGaussian& gaussian) {
  const at::Tensor inverse = at::linalg_inv(test::dense_factor_transpose(gaussian, 0));
  return inverse.matmul(inverse.t());
}

TEST(Factors, WellIsCoupledByOneHalf) {
  const StructuredGaussian well = make_factor(FactorKind::kWell, {20, 24}, kWindow, at::kDouble);
  EXPECT_NEAR(coupling(well), 0.5, 1e-6);
}

TEST(Factors, MaternCouplingsAreThoseOfSmoothFields) {
  struct Range {
    FactorKind kind;
    double low, high;
  };
  for (const auto& [kind, low, high] : {Range{FactorKind::kMatern05, 1.2, 1.5},
                                        Range{FactorKind::kMatern15, 2.7, 3.3},
                                        Range{FactorKind::kMatern25, 3.0, 4.0}}) {
    const double value = coupling_inside(make_factor(kind, {24, 160}, kWindow, at::kDouble));
    EXPECT_GE(value, low) << factor_name(kind);
    EXPECT_LE(value, high) << factor_name(kind);
  }
}

// The last row knows its next two pixels a and b alone: the best guess is a in a field without
// derivatives (m05 is Markov on a line), 2a − b in a smooth one.
TEST(Factors, LastRowRepeatsOrExtrapolates) {
  for (const auto& [kind, sum] :
       {std::pair{FactorKind::kMatern05, 1.0}, std::pair{FactorKind::kMatern25, 3.0}}) {
    const at::Tensor all = couplings(make_factor(kind, {4, 160}, kWindow, at::kDouble));
    const at::Tensor row = all.narrow(2, 3, 1).narrow(3, 0, 158);
    EXPECT_NEAR(row.max().item<double>(), sum, 0.02) << factor_name(kind);
    EXPECT_NEAR(row.min().item<double>(), sum, 0.02) << factor_name(kind);
  }
}

// Neighbours on all sides: the approximation is as good over half the image as over one pixel.
TEST(Factors, MaternFieldFromCoarseToFineHasTheCorrelationOfItsKernel) {
  constexpr std::int64_t kWidth = 24;
  const at::Tensor covariance = dense_covariance(
      make_factor(FactorKind::kMatern05, {16, kWidth}, Neighbourhood(CoarseToFine{}), at::kDouble));
  const auto at = covariance.accessor<double, 2>();
  for (const auto& [n, m, distance] : {std::tuple{5 * kWidth + 8, 5 * kWidth + 9, 1},
                                       std::tuple{5 * kWidth + 8, 8 * kWidth + 8, 3},
                                       std::tuple{5 * kWidth + 5, 5 * kWidth + 17, 12}}) {
    EXPECT_NEAR(at[n][m] / std::sqrt(at[n][n] * at[m][m]),
                matern_correlation(FactorKind::kMatern05, distance, 75),
                2e-2);
  }
}

TEST(Factors, MaternFieldHasTheCorrelationOfItsKernel) {
  constexpr std::int64_t kHeight = 10;
  constexpr std::int64_t kWidth = 16;
  for (const FactorKind kind : {FactorKind::kMatern05, FactorKind::kMatern15}) {
    const at::Tensor covariance =
        dense_covariance(make_factor(kind, {kHeight, kWidth}, kWindow, at::kDouble));
    const auto at = covariance.accessor<double, 2>();
    const auto correlation = [&](std::int64_t n, std::int64_t m) {
      return at[n][m] / std::sqrt(at[n][n] * at[m][m]);
    };
    // The length at the left edge is 75 pixels, and varies by less than 10 within this image.
    const std::int64_t n = 5 * kWidth + 8;
    EXPECT_NEAR(correlation(n, n + 1), matern_correlation(kind, 1, 75), 5e-3);
    EXPECT_NEAR(correlation(n, n + 3 * kWidth), matern_correlation(kind, 3, 75), 2e-2);
  }
}

TEST(Factors, NeighboursOutsideTheImageHaveNoWeightInEitherOrder) {
  const StructuredGaussian gaussian =
      make_factor(FactorKind::kMatern15, {5, 7}, kWindow, at::kDouble);
  const auto psi = gaussian.off_diagonal().accessor<double, 4>();
  for (std::int64_t k = 0; k < kWindow.size(); ++k) EXPECT_EQ(psi[0][k][4][6], 0) << k;
  EXPECT_EQ(psi[0][0][2][6], 0);
  EXPECT_NE(psi[0][0][2][5], 0);
  const Neighbourhood order(CoarseToFine{});
  const ImageSize size{9, 12};
  const StructuredGaussian fine = make_factor(FactorKind::kMatern15, size, order, at::kDouble);
  const auto weight = fine.off_diagonal().accessor<double, 4>();
  for (const PixelClass& pixels : order.classes(size)) {
    for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
      const Offset to{pixels.row + pixels.offsets[k].dy, pixels.column + pixels.offsets[k].dx};
      const bool inside = to.dy >= 0 && to.dy < size.height && to.dx >= 0 && to.dx < size.width;
      EXPECT_EQ(weight[0][static_cast<std::int64_t>(k)][pixels.row][pixels.column] != 0, inside);
    }
  }
}

TEST(Factors, HaveTheSameValuesInBothPrecisionsAndEveryTime) {
  for (const FactorKind kind : {FactorKind::kWell, FactorKind::kMatern05}) {
    const StructuredGaussian single = make_factor(kind, {9, 11}, kWindow, at::kFloat);
    const StructuredGaussian twofold = make_factor(kind, {9, 11}, kWindow, at::kDouble);
    EXPECT_TRUE(single.off_diagonal().to(at::kDouble).equal(twofold.off_diagonal()));
    EXPECT_TRUE(single.log_diagonal().to(at::kDouble).equal(twofold.log_diagonal()));
  }
}

}  // namespace
}  // namespace supn::bench
