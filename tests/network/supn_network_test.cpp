#include "supn/network/supn_network.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <cmath>

#include "supn/errors.hpp"

namespace supn {
namespace {

std::int64_t count(const SupnNetworkImpl& network, ParameterGroup group) {
  std::int64_t sum = 0;
  for (const at::Tensor& parameter : parameters_of(network, group)) sum += parameter.numel();
  return sum;
}

std::int64_t supn_count(const SupnNetworkImpl& network) {
  return count(network, ParameterGroup::kSupn) + count(network, ParameterGroup::kGamma);
}

SupnNetwork network(const NetworkConfig& config) {
  at::manual_seed(1);
  SupnNetwork result(config);
  result->eval();
  return result;
}

TEST(SupnNetwork, HasThePapersParameterCounts) {
  const SupnNetwork full = network({});

  EXPECT_EQ(count(*full, ParameterGroup::kMean), 14'329'236);
  EXPECT_EQ(count(*full, ParameterGroup::kGamma), 4 * 12);
  EXPECT_NEAR(100.0 * static_cast<double>(supn_count(*full)) / 14'329'236.0, 23.7, 0.3);
}

TEST(SupnNetwork, CompactBackboneHasTheMembersSize) {
  const SupnNetwork compact = network({.backbone = Backbone::kCompact});

  // The 1,235,172 weights of a member's file, less its log-scale head (145).
  EXPECT_EQ(count(*compact, ParameterGroup::kMean), 1'235'027);
  EXPECT_EQ(compact->scales(), 3);
}

TEST(SupnNetwork, StartsFromTheSeedAlone) {
  const auto first = state_of(*network({.backbone = Backbone::kCompact}));
  const auto second = state_of(*network({.backbone = Backbone::kCompact}));
  at::manual_seed(2);
  const auto other = state_of(*SupnNetwork(NetworkConfig{.backbone = Backbone::kCompact}));

  for (const auto& [name, tensor] : first) EXPECT_TRUE(tensor.equal(second.at(name))) << name;
  EXPECT_FALSE(first.at("conv1.weight").equal(other.at("conv1.weight")));
}

TEST(SupnNetwork, StartsFromTheUsualDistributions) {
  const auto state = state_of(*network({}));

  // Encoder: normal, variance 2/(outputs·kernel area). Decoders: uniform, ±1/√fan_in.
  const at::Tensor encoder = state.at("encoder.layer3.1.conv2.weight");
  EXPECT_NEAR(encoder.std().item<double>(), std::sqrt(2.0 / (256 * 9)), 3e-4);
  for (const char* name : {"decoder.2.conv.conv.weight", "supn.block.3.pre.conv.conv.weight"}) {
    const at::Tensor weight = state.at(name);
    const double bound = 1.0 / std::sqrt(static_cast<double>(weight[0].numel()));
    EXPECT_LE(weight.abs().max().item<double>(), bound * (1 + 1e-6)) << name;
    EXPECT_GT(weight.abs().max().item<double>(), 0.99 * bound) << name;
    EXPECT_NEAR(weight.std().item<double>(), bound / std::sqrt(3.0), 0.02 * bound) << name;
  }
}

TEST(SupnNetwork, GivesOneGaussianPerScale) {
  const at::NoGradGuard no_grad;
  SupnNetwork resnet = network({.neighbourhood_radius = 1});

  const auto scales = resnet->forward(at::rand({2, 3, 64, 96}));

  ASSERT_EQ(scales.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(scales[s].size(), (ImageSize{64 >> s, 96 >> s}));
    EXPECT_EQ(scales[s].off_diagonal().size(1), 4);
    EXPECT_EQ(scales[s].batch(), 2);
  }
}

TEST(SupnNetwork, MeansAreThoseOfTheGaussians) {
  const at::NoGradGuard no_grad;
  SupnNetwork compact = network({.backbone = Backbone::kCompact});
  const at::Tensor image = at::rand({1, 3, 32, 64});

  const auto means = compact->means(image);
  const auto scales = compact->forward(image);

  ASSERT_EQ(means.size(), scales.size());
  for (std::size_t s = 0; s < means.size(); ++s) EXPECT_TRUE(means[s].equal(scales[s].mean()));
}

TEST(SupnNetwork, RadiusZeroHasNoOffDiagonalParameters) {
  const at::NoGradGuard no_grad;
  SupnNetwork diagonal = network({.backbone = Backbone::kCompact, .neighbourhood_radius = 0});

  const auto scales = diagonal->forward(at::rand({1, 3, 32, 64}));

  EXPECT_EQ(scales[0].off_diagonal().sizes(), at::IntArrayRef({1, 0, 32, 64}));
  EXPECT_EQ(count(*diagonal, ParameterGroup::kGamma), 0);
  for (const auto& [name, tensor] : state_of(*diagonal)) {
    EXPECT_EQ(name.find(".off."), std::string::npos) << name;
  }
}

TEST(SupnNetwork, EachAblationRemovesWhatItNames) {
  const NetworkConfig compact{.backbone = Backbone::kCompact};
  const std::int64_t full = supn_count(*network(compact));
  NetworkConfig no_positions = compact;
  no_positions.coordinate_maps = false;
  NetworkConfig no_scaling = compact;
  no_scaling.diagonal_scaling = false;
  NetworkConfig no_off_scaling = compact;
  no_off_scaling.off_diagonal = OffDiagonalForm::kNone;

  // Two input channels less in each of the 8 ladder convolutions (16+32+64+96 outputs, twice, 3×3).
  EXPECT_EQ(full - supn_count(*network(no_positions)), 2 * 2 * 9 * (16 + 32 + 64 + 96));
  // A linear layer of two outputs at each scale.
  EXPECT_EQ(full - supn_count(*network(no_scaling)), 2 * (16 + 32 + 64) + 3 * 2);
  EXPECT_EQ(full - supn_count(*network(no_off_scaling)), 3 * 12);
}

TEST(SupnNetwork, DiagonalStartsAtItsFloorAtLeast) {
  const at::NoGradGuard no_grad;
  SupnNetwork resnet = network({});

  const auto scales = resnet->forward(at::rand({1, 3, 64, 64}));

  for (const auto& gaussian : scales) EXPECT_GE(gaussian.log_diagonal().min().item<double>(), -4.0);
}

TEST(SupnNetwork, BatchItemsDoNotMix) {
  const at::NoGradGuard no_grad;
  SupnNetwork compact = network({.backbone = Backbone::kCompact});
  const at::Tensor images = at::rand({2, 3, 32, 64});

  const auto together = compact->forward(images)[0];
  const auto alone = compact->forward(images.narrow(0, 1, 1))[0];

  EXPECT_TRUE(together.image(1).off_diagonal().allclose(alone.off_diagonal(), 1e-4, 1e-6));
}

class CoarseToFineNetwork : public ::testing::TestWithParam<Backbone> {
 protected:
  NetworkConfig config() const {
    return {.backbone = GetParam(), .order = PixelOrder::kCoarseToFine};
  }
};

// At a size with pixels beyond the last whole cell.
TEST_P(CoarseToFineNetwork, GivesTheFinestScaleAlone) {
  const at::NoGradGuard no_grad;
  SupnNetwork net = network(config());

  const NetworkOutput output = net->predict(at::rand({2, 3, 96, 160}));

  ASSERT_EQ(output.gaussians.size(), 1U);
  EXPECT_EQ(output.gaussians[0].neighbourhood(), Neighbourhood(CoarseToFine{}));
  EXPECT_EQ(output.gaussians[0].log_diagonal().sizes(), at::IntArrayRef({2, 1, 96, 160}));
  EXPECT_EQ(output.gaussians[0].off_diagonal().sizes(), at::IntArrayRef({2, 12, 96, 160}));
  EXPECT_EQ(static_cast<std::int64_t>(output.means.size()), net->scales());
  EXPECT_GT(count(*net, ParameterGroup::kCoarse), 0);
}

TEST_P(CoarseToFineNetwork, KeepsALossOnTheFactorFromTheMeanWhereDetached) {
  SupnNetwork net = network(config());
  const at::Tensor image = at::rand({1, 3, 64, 64});
  const auto mean_gradients = [&](MeanCoupling coupling) {
    net->zero_grad();
    const NetworkOutput output = net->predict(image, coupling);
    const StructuredGaussian& g = output.gaussians.front();
    // At the start the heads' last weights are 0 and pass nothing on to the features.
    (g.log_diagonal().sum() + g.off_diagonal().sum() + g.mean().sum()).backward();
    std::int64_t reached = 0;
    for (const at::Tensor& parameter : parameters_of(*net, ParameterGroup::kMean)) {
      reached += parameter.grad().defined() && parameter.grad().ne(0).any().item<bool>() ? 1 : 0;
    }
    return reached;
  };

  EXPECT_GT(mean_gradients(MeanCoupling::kJoint), 0);
  EXPECT_EQ(mean_gradients(MeanCoupling::kDetached), 0);
  EXPECT_TRUE(net->predict(image, MeanCoupling::kDetached).means.front().requires_grad());
}

INSTANTIATE_TEST_SUITE_P(Backbones,
                         CoarseToFineNetwork,
                         ::testing::Values(Backbone::kResnet18,
                                           Backbone::kCompact,
                                           Backbone::kCompactUnet));

// Trained networks have statistics of their own.
SupnNetwork with_statistics(const NetworkConfig& config) {
  SupnNetwork result = network(config);
  for (const auto& item : result->named_buffers()) {
    if (item.key().ends_with("running_mean")) item.value().uniform_(-0.2, 0.2);
    if (item.key().ends_with("running_var")) item.value().uniform_(0.5, 2.0);
  }
  return result;
}

std::vector<at::Tensor> maps_of(const StructuredGaussian& gaussian) {
  return {gaussian.mean(), gaussian.log_diagonal(), gaussian.off_diagonal()};
}

class SettledNetwork : public testing::TestWithParam<NetworkConfig> {
 protected:
  const at::NoGradGuard no_grad_;
};

TEST_P(SettledNetwork, PredictsTheSameFinestScaleButForRounding) {
  SupnNetwork whole = with_statistics(GetParam());
  const at::Tensor image = at::rand({2, 3, 64, 128});
  const std::vector<at::Tensor> expected = maps_of(whole->forward(image).front());

  whole->settle();
  const auto settled = maps_of(whole->finest(image.contiguous(at::MemoryFormat::ChannelsLast)));

  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double scale = expected[i].abs().max().item<double>();
    EXPECT_LT((settled[i] - expected[i]).abs().max().item<double>(), 2e-5 * scale) << i;
  }
}

TEST_P(SettledNetwork, GivesTheSameBitsOnAnyNumberOfThreads) {
  SupnNetwork settled = with_statistics(GetParam());
  settled->settle();
  // Of the size that is used: oneDNN chooses its ways by it.
  const at::Tensor image = at::rand({1, 3, 192, 640}).contiguous(at::MemoryFormat::ChannelsLast);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const std::vector<at::Tensor> expected = maps_of(settled->finest(image));

  for (const int count : {2, 3}) {
    at::set_num_threads(count);
    const std::vector<at::Tensor> maps = maps_of(settled->finest(image));
    for (std::size_t i = 0; i < maps.size(); ++i) {
      EXPECT_TRUE(maps[i].equal(expected[i])) << count << " threads, map " << i;
    }
  }
  at::set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         SettledNetwork,
                         testing::Values(NetworkConfig{},
                                         NetworkConfig{.off_diagonal = OffDiagonalForm::kFactored},
                                         NetworkConfig{.backbone = Backbone::kCompact},
                                         NetworkConfig{.order = PixelOrder::kCoarseToFine},
                                         NetworkConfig{.backbone = Backbone::kCompact,
                                                       .order = PixelOrder::kCoarseToFine}));

TEST(SupnNetwork, RefusesSizesThatDoNotFit) {
  SupnNetwork resnet = network({});

  try {
    resnet->forward(at::ones({1, 3, 100, 96}));
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("multiples of 32"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("96x96"), std::string::npos) << error.what();
  }
  EXPECT_THROW(resnet->forward(at::ones({1, 1, 64, 96})), c10::Error);
}

TEST(SupnNetwork, RefusesAFormThatDoesNotExistForTheRadius) {
  EXPECT_THROW(SupnNetwork(NetworkConfig{.neighbourhood_radius = 3,
                                         .off_diagonal = OffDiagonalForm::kFactored}),
               ConfigError);
  EXPECT_THROW(SupnNetwork(NetworkConfig{.neighbourhood_radius = 1,
                                         .off_diagonal = OffDiagonalForm::kTwofold}),
               ConfigError);
}

TEST(SupnNetwork, LocalStdIsGivenForTheFactoredFormAlone) {
  const at::NoGradGuard no_grad;
  SupnNetwork factored =
      network({.backbone = Backbone::kCompact, .off_diagonal = OffDiagonalForm::kFactored});
  SupnNetwork paper = network({.backbone = Backbone::kCompact});
  const at::Tensor image = at::rand({1, 3, 32, 64});

  const auto stds = factored->predict(image).local_log_std;
  ASSERT_EQ(stds.size(), 3U);
  EXPECT_EQ(stds[0].sizes(), at::IntArrayRef({1, 1, 32, 64}));
  EXPECT_FALSE(paper->predict(image).local_log_std[0].defined());
}

}  // namespace
}  // namespace supn
