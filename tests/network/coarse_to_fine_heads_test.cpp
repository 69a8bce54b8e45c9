#include "supn/network/coarse_to_fine_heads.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

const std::vector<std::int64_t> kChannels{3, 4, 5, 6, 7};

NetworkConfig config_of(std::int64_t classes, std::int64_t neighbours) {
  return {.order = PixelOrder::kCoarseToFine, .classes = classes, .neighbours = neighbours};
}

std::vector<at::Tensor> features_of(const ImageSize& size, std::int64_t batch, double scale) {
  std::vector<at::Tensor> features;
  for (std::size_t level = 0; level < kChannels.size(); ++level) {
    const auto side = [&](std::int64_t length) { return length >> level; };
    features.push_back(at::randn({batch, kChannels[level], side(size.height), side(size.width)}) *
                       scale);
  }
  return features;
}

void randomise(CoarseToFineHeads& heads, double scale) {
  const at::NoGradGuard no_grad;
  for (const auto& item : heads.named_parameters()) {
    if (item.key().find(".out.") != std::string::npos) item.value().normal_(0.0, scale);
  }
}

StructuredGaussian gaussian_of(CoarseToFineHeads& heads,
                               const NetworkConfig& config,
                               const ImageSize& size,
                               double scale) {
  const at::Tensor mean = at::zeros({1, 1, size.height, size.width});
  const FactorPrediction factor = heads.forward(features_of(size, 1, scale), mean);
  return {mean, factor.log_diagonal, factor.off_diagonal, neighbourhood_of(config)};
}

class CoarseToFineHeadsOf
    : public ::testing::TestWithParam<std::tuple<std::int64_t, std::int64_t>> {
 protected:
  NetworkConfig config() const {
    return config_of(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
};

TEST_P(CoarseToFineHeadsOf, StartFromTheFieldWhateverTheFeatures) {
  at::manual_seed(3);
  CoarseToFineHeads heads(kChannels, config());
  const ImageSize size{80, 112};

  const StructuredGaussian gaussian = gaussian_of(heads, config(), size, 10.0);

  const Kriging start = kriging(neighbourhood_of(config()), size, StartingField());
  EXPECT_TRUE(gaussian.log_diagonal().equal(start.log_diagonal));
  EXPECT_TRUE(
      gaussian.off_diagonal().allclose(-start.weights * start.log_diagonal.exp(), 1e-5, 1e-5));
}

TEST_P(CoarseToFineHeadsOf, GiveFiniteGaussiansForExtremeMaps) {
  const at::NoGradGuard no_grad;
  at::manual_seed(4);
  CoarseToFineHeads heads(kChannels, config());
  const ImageSize size{32, 48};
  for (int i = 0; i < 250; ++i) {
    const double scale = std::pow(10.0, -2.0 + 6.0 * at::rand({}).item<double>());
    randomise(heads, scale);
    const StructuredGaussian gaussian = gaussian_of(heads, config(), size, 1.0);
    const at::Tensor noise = at::randn({1, 2, size.height, size.width});

    ASSERT_TRUE(gaussian.off_diagonal().isfinite().all().item<bool>()) << scale;
    ASSERT_TRUE(solve_factor_transpose(gaussian, noise).isfinite().all().item<bool>()) << scale;
    ASSERT_TRUE(solve_factor(gaussian, noise).isfinite().all().item<bool>()) << scale;
    ASSERT_TRUE(log_prob(gaussian, noise).isfinite().all().item<bool>()) << scale;
    const at::Tensor gain =
        (gaussian.off_diagonal().abs().sum(1) / gaussian.log_diagonal()[0].exp()).max();
    ASSERT_LE(gain.item<double>(), 2.0 * (1 + 1e-5)) << scale;
  }
}

INSTANTIATE_TEST_SUITE_P(ClassesAndNeighbours,
                         CoarseToFineHeadsOf,
                         ::testing::Values(std::tuple(12, 12),
                                           std::tuple(12, 20),
                                           std::tuple(3, 12),
                                           std::tuple(3, 24)));

// The longest chain of the coarsest grid of this image is 159 pixels; 2^159 would be infinite.
TEST(CoarseToFineHeads, StayFiniteOnALargeImage) {
  const at::NoGradGuard no_grad;
  at::manual_seed(5);
  const NetworkConfig config = config_of(12, 12);
  CoarseToFineHeads heads(kChannels, config);
  for (const auto& item : heads.named_parameters()) {
    if (item.key().find("out.bias") != std::string::npos) item.value().fill_(100.0);
  }
  const ImageSize size{1088, 1920};
  const at::Tensor mean = at::zeros({1, 1, size.height, size.width});
  const FactorPrediction factor = heads.forward(features_of(size, 1, 1.0), mean);
  const StructuredGaussian gaussian(
      mean, factor.log_diagonal, factor.off_diagonal, neighbourhood_of(config));

  const at::Tensor sample =
      solve_factor_transpose(gaussian, at::ones({1, 1, size.height, size.width}));

  EXPECT_TRUE(sample.isfinite().all().item<bool>());
  EXPECT_GT(sample.abs().max().item<double>(), 1e3);
}

TEST(CoarseToFineHeads, SendGradientsToEveryParameter) {
  at::manual_seed(6);
  const NetworkConfig config = config_of(12, 12);
  CoarseToFineHeads heads(kChannels, config);
  randomise(heads, 0.01);
  const StructuredGaussian gaussian = gaussian_of(heads, config, {64, 64}, 1.0);

  log_prob(gaussian, at::randn({1, 3, 64, 64}) * 0.1).mean().backward();

  for (const auto& item : heads.named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0.0) << item.key();
  }
}

TEST(CoarseToFineHeads, KnowTheirFewPixels) {
  EXPECT_TRUE(CoarseToFineHeads::is_coarse("level.3.out.weight"));
  EXPECT_TRUE(CoarseToFineHeads::is_coarse("level.4.pre.bias"));
  EXPECT_TRUE(CoarseToFineHeads::is_coarse("coarsest.out.bias"));
  EXPECT_FALSE(CoarseToFineHeads::is_coarse("level.2.out.weight"));
  EXPECT_FALSE(CoarseToFineHeads::is_coarse("level.0.pre.conv.conv.bias"));
}

// Samples of the untrained field at a size with whole cells, and at one without.
TEST(CoarseToFineHeads, DrawTheFieldUntilTheyAreTrained) {
  const at::NoGradGuard no_grad;
  for (const ImageSize size : {ImageSize{128, 192}, ImageSize{112, 208}}) {
    const NetworkConfig config = config_of(12, 12);
    CoarseToFineHeads heads(kChannels, config);
    const StructuredGaussian gaussian = gaussian_of(heads, config, size, 1.0);
    const std::uint64_t seed = 7;

    const at::Tensor x = sample(gaussian, {&seed, 1}, {.range = {.first = 0, .count = 200}}).values;

    const StartingField field;
    EXPECT_NEAR(x.square().mean().sqrt().item<double>(), field.std, 0.03 * field.std);
    for (const std::int64_t lag : {1, 8, 20}) {
      const double expected =
          std::exp(-static_cast<double>(lag) / (field.length * static_cast<double>(size.width)));
      for (const std::int64_t axis : {2, 3}) {
        const std::int64_t inside = x.size(axis) - lag;
        const at::Tensor products = x.narrow(axis, 0, inside) * x.narrow(axis, lag, inside);
        EXPECT_NEAR((products.mean() / x.square().mean()).item<double>(), expected, 0.04)
            << lag << " along " << axis;
      }
    }
  }
}

}  // namespace
}  // namespace supn
