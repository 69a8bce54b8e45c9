#include "supn/evaluation/scores/proper_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "evaluation/scores/fixture.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

at::Tensor noise_maps(std::uint64_t seed, std::int64_t count) {
  const std::array<std::uint64_t, 1> seeds{seed};
  return standard_normal(seeds, {0, count}, {12, 14}, at::TensorOptions().dtype(at::kDouble))[0];
}

TEST(ProperScores, EnergyEqualsItsDefinition) {
  const at::Tensor x = noise_maps(1, 5).flatten(1);
  const at::Tensor y = noise_maps(2, 3).flatten(1);
  double to_values = 0.0;
  double among = 0.0;
  for (std::int64_t s = 0; s < 5; ++s) {
    for (std::int64_t v = 0; v < 3; ++v) to_values += (x[s] - y[v]).norm().item<double>() / 15.0;
    for (std::int64_t t = 0; t < 5; ++t) among += (x[s] - x[t]).norm().item<double>() / 20.0;
  }
  EXPECT_NEAR(energy_score(x, y), (to_values - 0.5 * among) / std::sqrt(168.0), 1e-9);
}

TEST(ProperScores, VariogramEqualsItsDefinitionOnPairs) {
  const at::Tensor x = tensor_of({0.0, 4.0, 1.0, 2.0, 3.0, 6.0}).view({2, 3});
  const at::Tensor y = tensor_of({1.0, 1.0, 5.0});
  at::Tensor first = at::zeros({2}, at::kLong);
  at::Tensor second = at::zeros({2}, at::kLong);
  second[0] = 1;
  second[1] = 2;
  const double near = (std::sqrt(4.0) + std::sqrt(1.0)) / 2.0 - 0.0;
  const double far = (std::sqrt(1.0) + std::sqrt(4.0)) / 2.0 - std::sqrt(4.0);
  EXPECT_NEAR(variogram_score_of_pairs(x, y, first, second), (near * near + far * far) / 2, 1e-12);
}

// Both prefer the distribution that the values come from: the same marginals without dependence,
// or with too much of it, score worse.
TEST(ProperScores, PreferTheTrueDependence) {
  const auto field = [](std::uint64_t seed, std::int64_t count, double shared) {
    const at::Tensor common = noise_maps(seed, count).narrow(1, 0, 1).narrow(2, 0, 1);
    return noise_maps(seed + 1, count) * std::sqrt(1.0 - shared * shared) + common * shared;
  };
  const at::Tensor values = field(10, 300, 0.8);
  const at::Tensor right = field(30, 300, 0.8);
  for (const double wrong : {0.0, 0.99}) {
    const at::Tensor samples = field(50, 300, wrong);
    EXPECT_LT(energy_score(right.flatten(1), values.flatten(1)),
              energy_score(samples.flatten(1), values.flatten(1)))
        << wrong;
    EXPECT_LT(variogram_score(right, values), variogram_score(samples, values)) << wrong;
  }
}

TEST(ProperScores, RejectWhatDoesNotFit) {
  EXPECT_THROW(energy_score(at::zeros({1, 4}), at::zeros({2, 4})), c10::Error);
  EXPECT_THROW(energy_score(at::zeros({3, 4}), at::zeros({2, 5})), c10::Error);
}

}  // namespace
}  // namespace supn
