#include "supn/network/weights.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>

namespace supn {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Everything the mean network has, filled with a constant, with the names changed by `rename`.
template <class Rename>
std::map<std::string, at::Tensor> mean_weights(const SupnNetworkImpl& network,
                                               const Rename& rename) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : state_of(network)) {
    if (name.starts_with("supn.") || name.ends_with("num_batches_tracked")) continue;
    weights.emplace(rename(name), at::full_like(tensor, 0.25));
  }
  return weights;
}

std::string unchanged(const std::string& name) { return name; }

TEST(Weights, LoadByTheNetworksNames) {
  SupnNetwork network(NetworkConfig{});

  const WeightReport report = load_weights(*network, mean_weights(*network, unchanged));

  EXPECT_THAT(report.mismatched, IsEmpty());
  EXPECT_THAT(report.unexpected, IsEmpty());
  EXPECT_THAT(report.missing, ::testing::Each(StartsWith("supn.")));
  EXPECT_EQ(state_of(*network).at("encoder.layer2.0.downsample.1.running_var").min().item<float>(),
            0.25F);
}

TEST(Weights, LoadATorchvisionResnetIntoTheEncoder) {
  SupnNetwork network(NetworkConfig{});
  std::map<std::string, at::Tensor> source;
  for (const auto& [name, tensor] : state_of(*network)) {
    if (name.starts_with("encoder.")) source.emplace(name.substr(8), at::full_like(tensor, 0.25));
  }
  source.emplace("fc.weight", at::ones({1000, 512}));

  const WeightReport report = load_weights(*network, source);

  EXPECT_THAT(report.loaded, Contains("encoder.layer4.1.bn2.bias"));
  EXPECT_THAT(report.unexpected, IsEmpty());
  EXPECT_EQ(state_of(*network).at("encoder.conv1.weight").max().item<float>(), 0.25F);
}

TEST(Weights, LoadTheLogitHeadsOfAFileWithLogScaleHeads) {
  SupnNetwork network(NetworkConfig{});
  std::map<std::string, at::Tensor> source = mean_weights(*network, unchanged);
  for (int scale = 0; scale < 4; ++scale) {
    const std::int64_t channels = 16 << scale;
    const auto put = [&](int index, double value) {
      const std::string name = "decoder." + std::to_string(index) + ".conv.";
      source[name + "weight"] = at::full({1, channels, 3, 3}, value);
      source[name + "bias"] = at::full({1}, value);
    };
    put(10 + 2 * scale, 1.0 + scale);
    put(11 + 2 * scale, -1.0);
  }

  const WeightReport report = load_weights(*network, source);

  for (int scale = 0; scale < 4; ++scale) {
    const std::string name = "decoder." + std::to_string(10 + scale) + ".conv.";
    const auto expected = static_cast<float>(1 + scale);
    EXPECT_EQ(state_of(*network).at(name + "weight").min().item<float>(), expected) << name;
    EXPECT_EQ(state_of(*network).at(name + "bias").item<float>(), expected) << name;
  }
  EXPECT_THAT(report.mismatched, IsEmpty());
  EXPECT_THAT(report.unexpected,
              ElementsAre("decoder.11.conv.bias",
                          "decoder.11.conv.weight",
                          "decoder.13.conv.bias",
                          "decoder.13.conv.weight",
                          "decoder.15.conv.bias",
                          "decoder.15.conv.weight",
                          "decoder.17.conv.bias",
                          "decoder.17.conv.weight"));
}

TEST(Weights, ReportWhatDoesNotFit) {
  SupnNetwork network(NetworkConfig{.backbone = Backbone::kCompact});
  std::map<std::string, at::Tensor> source = mean_weights(*network, unchanged);
  source["conv1.weight"] = at::rand({64, 3, 3, 3});
  source["log_scale.conv3.bias"] = at::rand({1});
  const at::Tensor before = state_of(*network).at("conv1.weight").clone();

  const WeightReport report = load_weights(*network, source);

  EXPECT_THAT(report.mismatched,
              ElementsAre("conv1.weight: [64, 3, 3, 3] instead of [64, 3, 7, 7]"));
  EXPECT_THAT(report.unexpected, ElementsAre("log_scale.conv3.bias"));
  EXPECT_TRUE(state_of(*network).at("conv1.weight").equal(before));
}

}  // namespace
}  // namespace supn
