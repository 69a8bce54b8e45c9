#include "supn/training/losses.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_slogdet.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "loss_fixture.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

double dense_log_prob(const Maps& maps,
                      const at::Tensor& predictions,
                      std::int64_t b,
                      std::int64_t s) {
  const at::Tensor factor = dense_transposed_factor(maps, b);
  const at::Tensor precision = factor.t().matmul(factor);
  const at::Tensor distance = (predictions[b][s] - maps.mean[b][0]).flatten();
  const auto [sign, log_determinant] = at::linalg_slogdet(precision);
  const auto pixels = static_cast<double>(distance.size(0));
  return -0.5 * distance.dot(precision.mv(distance)).item<double>() +
         0.5 * log_determinant.item<double>() - 0.5 * pixels * std::log(2.0 * std::numbers::pi);
}

TEST(EnsembleNll, IsTheDenseNegativeLogDensityPerPixelSampleAndScale) {
  const std::vector<Maps> maps{random_maps(4, 6, 1), random_maps(2, 3, 2)};
  const std::vector<StructuredGaussian> gaussians{maps[0].gaussian(), maps[1].gaussian()};
  const std::vector<at::Tensor> predictions{random_predictions(maps[0]),
                                            random_predictions(maps[1])};

  const EnsembleNll nll = ensemble_nll(gaussians, predictions);

  double total = 0.0;
  for (std::size_t scale = 0; scale < 2; ++scale) {
    double expected = 0.0;
    for (std::int64_t b = 0; b < kBatch; ++b) {
      for (std::int64_t s = 0; s < kMembers; ++s) {
        expected -= dense_log_prob(maps[scale], predictions[scale], b, s);
      }
    }
    expected /= static_cast<double>(kBatch * kMembers * gaussians[scale].pixels());
    EXPECT_NEAR(nll.terms[scale].item<double>(), expected, 1e-10) << "scale " << scale;
    total += expected;
  }
  EXPECT_NEAR(nll.total.item<double>(), total, 1e-10);
}

TEST(EnsembleNll, RewardsNoImageBeyondTheBound) {
  Maps maps = random_maps(6, 8, 7);
  const at::Tensor predictions = random_predictions(maps);
  // The second image is predicted much better than the first.
  at::Tensor close = predictions.clone();
  close[1] = maps.mean[1] + (predictions[1] - maps.mean[1]) * 1e-3;
  const std::vector<at::Tensor> targets{close};
  maps.log_diagonal.set_requires_grad(true);
  std::vector<StructuredGaussian> gaussians{maps.gaussian()};
  const double pixels = 6.0 * 8.0;
  double nll[2] = {0.0, 0.0};
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t s = 0; s < kMembers; ++s) {
      nll[b] -= dense_log_prob(maps, close, b, s) / pixels / static_cast<double>(kMembers);
    }
  }
  const double bound = -0.5 * (nll[0] + nll[1]);  // between the two

  const EnsembleNll bounded = ensemble_nll(gaussians, targets, bound);
  bounded.total.backward();

  ASSERT_LT(nll[1], -bound);
  EXPECT_NEAR(bounded.total.item<double>(), 0.5 * (nll[0] - bound), 1e-9);
  EXPECT_NEAR(bounded.terms[0].item<double>(), 0.5 * (nll[0] + nll[1]), 1e-9);
  EXPECT_GT(maps.log_diagonal.grad()[0].abs().max().item<double>(), 1e-3);
  EXPECT_EQ(maps.log_diagonal.grad()[1].abs().max().item<double>(), 0.0);
}

TEST(EnsembleNll, RefusesAMissingScaleAndAWrongSize) {
  const Maps maps = random_maps(4, 6, 1);
  const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
  EXPECT_THROW(ensemble_nll(gaussians, {}), c10::Error);
  const std::vector<at::Tensor> small{at::zeros({kBatch, kMembers, 4, 5}, at::kDouble)};
  EXPECT_THROW(ensemble_nll(gaussians, small), c10::Error);
}

TEST(MeanL1, IsTheDistanceToTheMembersMeanAtEachScale) {
  const std::vector<at::Tensor> means{at::full({1, 1, 2, 2}, 1.0), at::full({1, 1, 1, 1}, -2.0)};
  const std::vector<at::Tensor> predictions{
      at::tensor({0.0, 0.0, 2.0, 2.0, 2.0, 4.0, 2.0, 0.0}).view({1, 2, 2, 2}),
      at::tensor({1.0, 2.0}).view({1, 2, 1, 1})};

  const std::vector<at::Tensor> terms = mean_l1(means, predictions);

  // Member means 1, 2, 2, 1 against 1; 1.5 against -2.
  ASSERT_EQ(terms.size(), 2U);
  EXPECT_NEAR(terms[0].item<double>(), 0.5, 1e-6);
  EXPECT_NEAR(terms[1].item<double>(), 3.5, 1e-6);
}

TEST(StdMatching, IsTheSquaredDifferenceOfLogStandardDeviations) {
  const Maps maps = random_maps(3, 4, 3);
  const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const std::vector<at::Tensor> log_std{maps.log_diagonal * -1.0};

  const double loss = std_matching(log_std, gaussians, predictions).item<double>();

  double expected = 0.0;
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t n = 0; n < 12; ++n) {
      double square = 0.0;
      for (std::int64_t s = 0; s < kMembers; ++s) {
        const double d = predictions[0][b][s].flatten()[n].item<double>() -
                         maps.mean[b].flatten()[n].item<double>();
        square += d * d / static_cast<double>(kMembers);
      }
      const double difference =
          log_std[0][b].flatten()[n].item<double>() - 0.5 * std::log(square + 2.5e-5);
      expected += difference * difference / static_cast<double>(kBatch * 12);
    }
  }
  EXPECT_NEAR(loss, expected, 1e-12);
}

TEST(StdMatching, HasTheGradientOfFiniteDifferencesAndNoneInTheMean) {
  Maps maps = random_maps(3, 5, 4);
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const auto loss = [&] {
    const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
    // A local std that depends on both maps, as that of the factored form does.
    const std::vector<at::Tensor> log_std{maps.off_diagonal.mean(1, true).sin() -
                                          maps.log_diagonal};
    return std_matching(log_std, gaussians, predictions);
  };

  expect_gradient_in_the_factor_alone(maps, loss);
}

TEST(StdMatching, NamesTheFormThatHasNoLocalStd) {
  const Maps maps = random_maps(3, 4, 3);
  const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const std::vector<at::Tensor> none{at::Tensor()};
  EXPECT_THROW(std_matching(none, gaussians, predictions), c10::Error);
}

// 32x16: the finest block of 16 makes 2 blocks.
TEST(EnergyMatching, ComparesBlockEnergiesOfExactSamplesWithTheMembers) {
  const Maps maps = random_maps(16, 32, 5);
  const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const std::vector<std::uint64_t> seeds{11, 12};
  const EnergyOptions options{.samples = 400, .block = 16};

  const double loss = energy_matching(gaussians, predictions, seeds, options).item<double>();

  // With 400 samples the energy of a block is the mean marginal variance, up to Monte Carlo error.
  double expected = 0.0;
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const at::Tensor factor = dense_transposed_factor(maps, b);
    const at::Tensor variance = at::linalg_inv(factor.t().matmul(factor)).diagonal().view({16, 32});
    const at::Tensor squares = (predictions[0][b] - maps.mean[b]).square().mean(0);
    for (std::int64_t block = 0; block < 2; ++block) {
      const auto energy = [&](const at::Tensor& map) {
        return std::log(map.slice(1, 16 * block, 16 * block + 16).mean().item<double>() + 2.5e-5);
      };
      expected += 0.25 * std::pow(energy(variance) - energy(squares), 2) / 4.0;
    }
  }
  EXPECT_NEAR(loss, expected, 0.03 * expected);
}

TEST(EnergyMatching, HasTheGradientOfFiniteDifferencesAndNoneInTheMean) {
  Maps maps = random_maps(8, 8, 6);
  const std::vector<at::Tensor> predictions{random_predictions(maps)};
  const std::vector<std::uint64_t> seeds{11, 12};
  const auto loss = [&] {
    const std::vector<StructuredGaussian> gaussians{maps.gaussian()};
    return energy_matching(gaussians, predictions, seeds, {.samples = 2, .block = 4});
  };

  expect_gradient_in_the_factor_alone(maps, loss);
}

TEST(NoisyTargets, AddsNoiseOfTheGivenStdThatIsAnImagesOwn) {
  const std::vector<at::Tensor> clean{at::zeros({2, 4, 40, 50}), at::zeros({2, 4, 20, 25})};
  const std::vector<std::uint64_t> seeds{3, 4};

  const std::vector<at::Tensor> noisy = noisy_targets(clean, seeds, 0.1);

  EXPECT_NEAR(noisy[0].std().item<double>(), 0.1, 0.002);
  EXPECT_NEAR(noisy[1].std().item<double>(), 0.1, 0.004);
  EXPECT_NEAR(noisy[0].mean().item<double>(), 0.0, 0.002);
  const std::vector<at::Tensor> second_alone{clean[0].slice(0, 1, 2), clean[1].slice(0, 1, 2)};
  const std::vector<at::Tensor> alone =
      noisy_targets(second_alone, std::vector<std::uint64_t>{4}, 0.1);
  EXPECT_TRUE(at::equal(alone[0][0], noisy[0][1]));
  EXPECT_FALSE(at::equal(noisy[0][0], noisy[0][1]));
  EXPECT_TRUE(noisy_targets(clean, seeds, 0.0)[0].is_same(clean[0]));
}

}  // namespace
}  // namespace supn
