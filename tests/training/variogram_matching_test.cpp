#include <ATen/ops/linalg_inv.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "loss_fixture.hpp"
#include "supn/training/losses.hpp"

namespace supn {
namespace {

using PixelPair = std::pair<std::int64_t, std::int64_t>;

// All pixels n of a 6×7 image whose n + (dy,dx) lies inside, with that.
std::vector<PixelPair> pixel_pairs(std::int64_t dy, std::int64_t dx) {
  std::vector<PixelPair> pairs;
  for (std::int64_t y = 0; y + dy < 6; ++y) {
    for (std::int64_t x = 0; x < 7; ++x) {
      if (x + dx >= 0 && x + dx < 7) pairs.emplace_back(y * 7 + x, (y + dy) * 7 + x + dx);
    }
  }
  return pairs;
}

// E over pairs of E (x_j − x_i)², or of E x² where i = j.
double expected_square(const at::Tensor& covariance, const std::vector<PixelPair>& pairs) {
  double sum = 0.0;
  for (const auto& [i, j] : pairs) {
    const auto c = [&](std::int64_t p, std::int64_t q) { return covariance[p][q].item<double>(); };
    sum += i == j ? c(i, i) : c(i, i) + c(j, j) - 2.0 * c(i, j);
  }
  return sum / static_cast<double>(pairs.size());
}

// One block, so that what is expected are sums over the dense covariances.
TEST(VariogramMatching, ComparesDifferencesOfExactSamplesWithTheMembers) {
  const Maps maps = random_maps(6, 7, 5);
  const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const std::vector<std::uint64_t> seeds{11, 12};
  const VariogramOptions options{.samples = 4000, .block = 64, .lags = {2}};

  const double loss = variogram_matching(gaussians, predictions, seeds, options).item<double>();

  const std::vector<std::pair<std::int64_t, std::int64_t>> offsets{
      {0, 0}, {0, 2}, {2, 0}, {2, 2}, {2, -2}};
  double expected = 0.0;
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const at::Tensor factor = dense_transposed_factor(maps, b);
    const at::Tensor of_samples = at::linalg_inv(factor.t().matmul(factor));
    const at::Tensor distances = (predictions[0][b] - maps.mean[b]).flatten(1);
    const at::Tensor of_members =
        distances.t().mm(distances) / static_cast<double>(distances.size(0));
    for (const auto& [dy, dx] : offsets) {
      const auto pairs = pixel_pairs(dy, dx);
      const double distance = std::log(expected_square(of_samples, pairs) + 1e-6) -
                              std::log(expected_square(of_members, pairs) + 1e-6);
      expected += 0.25 * distance * distance / static_cast<double>(kBatch * offsets.size());
    }
  }
  EXPECT_NEAR(loss, expected, 0.03 * expected);
}

TEST(VariogramMatching, HasTheGradientOfFiniteDifferencesAndNoneInTheMean) {
  Maps maps = random_maps(8, 8, 6);
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const std::vector<std::uint64_t> seeds{11, 12};
  const auto loss = [&] {
    const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
    return variogram_matching(
        gaussians, predictions, seeds, {.samples = 2, .block = 4, .lags = {1, 3}});
  };

  expect_gradient_in_the_factor_alone(maps, loss);
}

TEST(VariogramMatching, LeavesOutLagsBeyondTheImage) {
  const Maps maps = random_maps(4, 5, 7);
  const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const std::vector<std::uint64_t> seeds{1, 2};
  const auto loss = [&](std::vector<std::int64_t> lags) {
    return variogram_matching(gaussians, predictions, seeds, {.lags = std::move(lags)})
        .item<double>();
  };

  EXPECT_EQ(loss({1, 5}), loss({1}));
}

}  // namespace
}  // namespace supn
