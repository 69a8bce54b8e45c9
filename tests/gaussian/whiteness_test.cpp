#include "dense_oracle.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/gaussian/whitening_test.hpp"

namespace supn::test {
namespace {

constexpr std::int64_t kSamples = 8;

StructuredGaussian truth() { return random_gaussian(2, {2, 24, 32}); }

at::Tensor drawn() {
  const std::vector<std::uint64_t> seeds{3, 4};
  return sample(truth(), seeds, {.range = {0, kSamples}}).values;
}

StructuredGaussian with(const at::Tensor& mean, const at::Tensor& phi, const at::Tensor& psi) {
  return {mean, phi, psi, Neighbourhood(2)};
}

TEST(WhiteningTest, IsQuietForItsOwnSamples) {
  const WhiteningTest test = whitening_test(truth(), drawn());
  for (const at::Tensor& score : {test.mean, test.variance, test.kurtosis, test.autocorrelation}) {
    EXPECT_EQ(score.size(0), 2);
    EXPECT_LT(largest(score), 4.0);
  }
  EXPECT_EQ(test.autocorrelation.size(1), 4);
}

TEST(WhiteningTest, SeesAShiftedMean) {
  const StructuredGaussian g = truth();
  const WhiteningTest test =
      whitening_test(with(g.mean().add(0.3), g.log_diagonal(), g.off_diagonal()), drawn());
  EXPECT_LT(test.mean.max().item<double>(), -10.0);
}

TEST(WhiteningTest, SeesTooSmallAndTooLargeSpreads) {
  const StructuredGaussian g = truth();
  const auto scaled = [&](double factor) {
    return with(g.mean(), g.log_diagonal().add(std::log(factor)), g.off_diagonal().mul(factor));
  };
  EXPECT_GT(whitening_test(scaled(1.3), drawn()).variance.min().item<double>(), 10.0);
  EXPECT_LT(whitening_test(scaled(0.7), drawn()).variance.max().item<double>(), -10.0);
}

TEST(WhiteningTest, SeesHeavyTails) {
  const StructuredGaussian g = truth();
  const at::Tensor noise = random_tensor({2, kSamples, 24, 32}, 8);
  const at::Tensor heavy = colour(g, noise.mul(noise.abs()));
  EXPECT_GT(whitening_test(g, heavy).kurtosis.min().item<double>(), 10.0);
}

TEST(WhiteningTest, SeesCorrelationThatTheFactorLacks) {
  const StructuredGaussian g = truth();
  const StructuredGaussian independent =
      with(g.mean(), g.log_diagonal(), g.off_diagonal().mul(0.0));
  // Neighbour (0,1) alone: x_n = −0.5·x_{n+1} + ε.
  const at::Tensor psi = g.off_diagonal().mul(0.0);
  psi.select(1, 0).copy_(g.log_diagonal().select(1, 0).exp().mul(0.5));
  const std::vector<std::uint64_t> seeds{3, 4};
  const at::Tensor chain =
      sample(with(g.mean(), g.log_diagonal(), psi), seeds, {.range = {0, kSamples}}).values;
  const at::Tensor scores = whitening_test(independent, chain).autocorrelation;
  EXPECT_LT(scores.select(1, 0).max().item<double>(), -10.0);
  EXPECT_LT(largest(scores.narrow(1, 1, 3)), 5.0);
}

TEST(WhiteningTest, ScoresAreTheirFormulas) {
  const StructuredGaussian g = random_gaussian(1, {1, 2, 3});
  const at::Tensor d = random_tensor({1, 2, 2, 3}, 9);
  const at::Tensor z = whiten(g, d);
  const WhiteningTest test = whitening_test(g, d);
  const double n = 12;
  const double second = z.square().sum().item<double>();
  const double fourth = z.pow(4).sum().item<double>();
  EXPECT_NEAR(test.mean.item<double>(), z.mean().item<double>() * std::sqrt(n), 1e-12);
  EXPECT_NEAR(test.variance.item<double>(), (second - n) / std::sqrt(2 * n), 1e-12);
  EXPECT_NEAR(test.kurtosis.item<double>(),
              (n * fourth / (second * second) - 3) * std::sqrt(n / 24),
              1e-12);
  // Lag (1,−1): 2 samples of 2 pairs.
  const double pairs =
      z[0].select(1, 0).narrow(1, 1, 2).mul(z[0].select(1, 1).narrow(1, 0, 2)).sum().item<double>();
  EXPECT_NEAR(test.autocorrelation[0][1].item<double>(), pairs / 2.0, 1e-12);
}

TEST(WhiteningTest, HasNoLagScoreWithoutPairs) {
  const StructuredGaussian g = random_gaussian(1, {1, 1, 1});
  const WhiteningTest test = whitening_test(g, random_tensor({1, 4, 1, 1}, 9));
  EXPECT_EQ(largest(test.autocorrelation), 0.0);
}

TEST(WhiteningTest, RefusesAFieldThatDoesNotFit) {
  EXPECT_THROW(whitening_test(truth(), random_tensor({1, 1, 24, 32}, 1)), c10::Error);
}

}  // namespace
}  // namespace supn::test
