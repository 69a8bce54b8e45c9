// Networks on a device against the same on the CPU.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <tuple>

#include "device_place.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/network/bfloat16_convolutions.hpp"
#include "supn/network/supn_network.hpp"

namespace supn::test {
namespace {

struct NamedNetwork {
  const char* name;
  NetworkConfig config;
};

void PrintTo(const NamedNetwork& network, std::ostream* out) { *out << network.name; }

std::vector<NamedNetwork> networks() {
  return {{"ResnetRaster", {}},
          {"ResnetFactored", {.off_diagonal = OffDiagonalForm::kFactored}},
          {"ResnetCoarseToFine", {.order = PixelOrder::kCoarseToFine}},
          {"CompactRaster", {.backbone = Backbone::kCompact}},
          {"CompactCoarseToFine",
           {.backbone = Backbone::kCompact, .order = PixelOrder::kCoarseToFine}}};
}

SupnNetwork untrained(const NetworkConfig& config) {
  at::manual_seed(1);
  SupnNetwork network(config);
  network->eval();
  return network;
}

at::Tensor images(std::int64_t count) {
  at::manual_seed(2);
  return at::rand({count, 3, 64, 96});
}

class NetworkOnDevice : public testing::TestWithParam<std::tuple<Place, NamedNetwork>> {
 protected:
  void SetUp() override {
    SUPN_SKIP_WITHOUT(place());
    at::globalContext().setAllowTF32CuDNN(false);
  }
  static Place place() { return std::get<0>(GetParam()); }
  static const NetworkConfig& config() { return std::get<1>(GetParam()).config; }
};

void expect_close(const at::Tensor& found, const at::Tensor& expected, double tolerance) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  if (expected.numel() == 0) return;
  const double difference = (found.cpu() - expected).abs().max().item<double>();
  EXPECT_LE(difference, tolerance * expected.abs().max().item<double>());
}

TEST_P(NetworkOnDevice, PredictsAsOnTheCpu) {
  const at::NoGradGuard no_grad;
  for (const std::int64_t count : {1, 3}) {
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const at::Tensor image = images(count).contiguous(format);
      const auto expected = untrained(config())->forward(image);
      const auto found = at_place(place(), [&](const at::Device& device) {
        SupnNetwork network = untrained(config());
        network->to(device);
        return network->forward(image.to(device));
      });
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t scale = 0; scale < found.size(); ++scale) {
        expect_close(found[scale].mean(), expected[scale].mean(), 1e-4);
        expect_close(found[scale].log_diagonal(), expected[scale].log_diagonal(), 1e-4);
        expect_close(found[scale].off_diagonal(), expected[scale].off_diagonal(), 1e-4);
      }
    }
  }
}

// In float64: ReLUs and maxima turn float32's rounding into jumps of single gradients.
TEST_P(NetworkOnDevice, HasTheGradientsOfTheCpu) {
  const at::Tensor image = images(2).to(at::kDouble);
  const at::Tensor members = at::randn({2, 3, 64, 96}, at::kDouble);
  const auto gradients = [&](const at::Device& device) {
    SupnNetwork network = untrained(config());
    network->to(device, at::kDouble);
    network->train();
    log_prob(network->forward(image.to(device)).front(), members.to(device)).mean().backward();
    return network->named_parameters();
  };
  const auto expected = gradients(at::Device(at::kCPU));
  const auto found = at_place(place(), gradients);
  for (const auto& parameter : expected) {
    SCOPED_TRACE(parameter.key());
    const at::Tensor& gradient = parameter.value().grad();
    ASSERT_EQ(found[parameter.key()].grad().defined(), gradient.defined());
    if (gradient.defined()) expect_close(found[parameter.key()].grad(), gradient, 1e-8);
  }
}

// Features keep eight bits; heads, and all that they make, are float32.
TEST_P(NetworkOnDevice, ConvolvesInBfloat16WhereAsked) {
  const at::Tensor image = images(2);
  const auto exact = untrained(config())->forward(image);
  const auto rounded_on = [&](const at::Device& device) {
    SupnNetwork network = untrained(config());
    network->to(device);
    const Bfloat16Convolutions in_bfloat16(device.type());
    StructuredGaussian rounded = network->forward(image.to(device)).front();
    EXPECT_EQ(rounded.mean().scalar_type(), at::kFloat);
    EXPECT_EQ(rounded.off_diagonal().scalar_type(), at::kFloat);
    rounded.mean().square().mean().add(rounded.off_diagonal().square().sum()).backward();
    for (const auto& parameter : network->named_parameters()) {
      const at::Tensor& gradient = parameter.value().grad();
      if (!gradient.defined()) continue;
      EXPECT_EQ(gradient.scalar_type(), at::kFloat) << parameter.key();
    }
    return rounded.detach().to(at::Device(at::kCPU));
  };
  const StructuredGaussian rounded = at_place(place(), rounded_on);
  const at::Tensor& mean = exact.front().mean();
  const double difference = (rounded.mean() - mean).abs().max().item<double>();
  EXPECT_LT(difference, 0.05 * mean.abs().max().item<double>());
  EXPECT_GT(difference, 0.0) << "nothing was computed in bfloat16";
}

TEST(Bfloat16Convolutions, EndWithTheirScope) {
  SupnNetwork network = untrained({.backbone = Backbone::kCompact});
  const at::NoGradGuard no_grad;
  const at::Tensor image = images(1);
  const at::Tensor before = network->forward(image).front().mean();
  { const Bfloat16Convolutions in_bfloat16(at::kCPU); }
  EXPECT_TRUE(network->forward(image).front().mean().equal(before));
}

std::string network_name(const testing::TestParamInfo<std::tuple<Place, NamedNetwork>>& info) {
  return std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Cpu,
                         NetworkOnDevice,
                         testing::Combine(testing::Values(Place::kCpu),
                                          testing::ValuesIn(networks())),
                         network_name);
INSTANTIATE_TEST_SUITE_P(Cuda,
                         NetworkOnDevice,
                         testing::Combine(testing::Values(Place::kCuda),
                                          testing::ValuesIn(networks())),
                         network_name);

}  // namespace
}  // namespace supn::test
