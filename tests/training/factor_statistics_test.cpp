#include "supn/training/factor_statistics.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "supn/gaussian/likelihood.hpp"

namespace supn {
namespace {

double total(const HistogramEvent& event) {
  return std::accumulate(event.counts.begin(), event.counts.end(), 0.0);
}

TEST(ValueHistogram, CountsUpToAndIncludingEachLimit) {
  ValueHistogram histogram({-1.0, 0.0, 1.0, 2.0});
  const float infinite = std::numeric_limits<float>::infinity();
  histogram.add(at::tensor({-0.5F, 0.0F, 0.25F, 1.0F, 7.0F, infinite, -infinite, NAN}));
  histogram.add(at::tensor({0.5F}));

  const HistogramEvent event = histogram.event();

  EXPECT_EQ(event.limits, (std::vector<double>{0.0, 1.0, 2.0, std::numeric_limits<double>::max()}));
  EXPECT_EQ(event.counts, (std::vector<double>{2.0, 3.0, 0.0, 1.0}));
  EXPECT_EQ(event.minimum, -0.5);
  EXPECT_EQ(event.maximum, 7.0);
  EXPECT_EQ(event.sum, 8.25);
  EXPECT_EQ(event.sum_of_squares, 0.25 + 0.0625 + 1.0 + 49.0 + 0.25);
}

TEST(ValueHistogram, IsEmptyWithoutValues) {
  EXPECT_TRUE(ValueHistogram({0.0}).event().limits.empty());
}

TEST(FactorStatistics, AreThoseOfTheMapsAndOfTheWhitenedMembers) {
  at::manual_seed(3);
  const at::Tensor phi = at::randn({2, 1, 6, 8});
  const at::Tensor psi = at::randn({2, 4, 6, 8}) * 0.3;
  const StructuredGaussian gaussian(at::randn({2, 1, 6, 8}), phi, psi, Neighbourhood(1));
  const at::Tensor members = at::randn({2, 5, 6, 8});
  FactorAccumulator sums;
  sums.add(gaussian.image(0),
           members.slice(0, 0, 1),
           log_prob(gaussian.image(0), members.slice(0, 0, 1)));
  sums.add(gaussian.image(1),
           members.slice(0, 1, 2),
           log_prob(gaussian.image(1), members.slice(0, 1, 2)));

  const FactorStatistics statistics = sums.statistics();

  const at::Tensor rho = psi.abs().sum(1, true) / phi.exp();
  const double whitened =
      whiten(gaussian.to(at::kDouble), members.to(at::kDouble)).square().mean().item<double>();
  EXPECT_NEAR(statistics.residual_variance, whitened, 1e-4 * whitened);
  EXPECT_NEAR(statistics.coupled_share, (rho > 1.0).to(at::kDouble).mean().item<double>(), 1e-12);
  EXPECT_EQ(statistics.lowest_phi, phi.min().item<double>());
  EXPECT_EQ(statistics.highest_phi, phi.max().item<double>());
  EXPECT_EQ(total(statistics.phi), phi.numel());
  EXPECT_EQ(total(statistics.psi), psi.numel());
  EXPECT_EQ(total(statistics.rho), rho.numel());
  EXPECT_NEAR(statistics.psi.sum, psi.sum(at::kDouble).item<double>(), 1e-9);
}

// By the levels' definition: a pixel is of the coarsest grid, or of the level of its finest stride.
std::size_t level_of(std::int64_t y, std::int64_t x) {
  if (y % 4 == 2 && x % 4 == 2) return 2;
  return y % 2 == 0 && x % 2 == 0 ? 1 : 0;
}

TEST(FactorStatistics, TellTheLevelsApart) {
  at::manual_seed(4);
  const Neighbourhood order(CoarseToFine{.levels = 2});
  const StructuredGaussian gaussian(
      at::randn({1, 1, 7, 10}), at::randn({1, 1, 7, 10}), at::randn({1, 12, 7, 10}) * 0.2, order);
  const at::Tensor members = at::randn({1, 3, 7, 10});
  FactorAccumulator sums;
  sums.add(gaussian, members, log_prob(gaussian, members));

  const FactorStatistics statistics = sums.statistics();

  ASSERT_EQ(statistics.levels.size(), 3U);
  const at::Tensor z = whiten(gaussian, members).square().mean(1)[0];
  std::array<double, 3> squares{};
  std::array<double, 3> counts{};
  for (std::int64_t y = 0; y < 7; ++y) {
    for (std::int64_t x = 0; x < 10; ++x) {
      const std::size_t level = level_of(y, x);
      squares[level] += z[y][x].item<double>();
      ++counts[level];
    }
  }
  double total = 0.0;
  for (std::size_t level = 0; level < 3; ++level) {
    const double variance = squares[level] / counts[level];
    EXPECT_NEAR(statistics.levels[level].residual_variance, variance, 1e-4 * variance) << level;
    total += statistics.levels[level].log_likelihood * counts[level];
  }
  EXPECT_NEAR(total, log_prob(gaussian, members).mean().item<double>(), 1e-2);
}

TEST(FactorStatistics, CountPixelsThatOverflowAsCoupled) {
  const at::Tensor phi = at::full({1, 1, 2, 2}, -200.0);
  const StructuredGaussian gaussian(
      at::zeros({1, 1, 2, 2}), phi, at::ones({1, 4, 2, 2}), Neighbourhood(1));
  FactorAccumulator sums;
  sums.add(gaussian, at::zeros({1, 1, 2, 2}), at::zeros({1, 1}));
  EXPECT_EQ(sums.statistics().coupled_share, 1.0);
  EXPECT_TRUE(sums.statistics().rho.limits.empty());
}

TEST(FactorStatistics, OfIndependentPixelsHaveNoOffDiagonal) {
  const StructuredGaussian gaussian(
      at::zeros({1, 1, 2, 2}), at::zeros({1, 1, 2, 2}), at::zeros({1, 0, 2, 2}), Neighbourhood(0));
  FactorAccumulator sums;
  const at::Tensor members = at::ones({1, 3, 2, 2}) * 2.0;
  sums.add(gaussian, members, log_prob(gaussian, members));
  EXPECT_NEAR(sums.statistics().residual_variance, 4.0, 1e-5);
  EXPECT_EQ(sums.statistics().coupled_share, 0.0);
  EXPECT_TRUE(sums.statistics().psi.limits.empty());
}

}  // namespace
}  // namespace supn
