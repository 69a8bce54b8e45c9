#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supn/network/supn_network.hpp"
#include "supn/network/weights.hpp"

namespace supn {
namespace {

SupnNetwork untrained(const NetworkConfig& config) {
  at::manual_seed(1);
  SupnNetwork network(config);
  network->eval();
  return network;
}

TEST(CompactMeanNetwork, SkipsAddNothingUntilTheyHaveLearntTo) {
  const at::NoGradGuard no_grad;
  SupnNetwork plain = untrained({.backbone = Backbone::kCompact});
  SupnNetwork skipping = untrained({.backbone = Backbone::kCompactUnet});
  const WeightReport report = load_weights(*skipping, state_of(*plain));
  const at::Tensor image = at::rand({1, 3, 32, 64});
  const at::Tensor mean = plain->means(image).front();

  EXPECT_THAT(report.missing,
              testing::UnorderedElementsAre("skips.0.weight", "skips.1.weight", "skips.2.weight"));
  EXPECT_TRUE(skipping->means(image).front().equal(mean));
  for (const std::string name : {"skips.0.weight", "skips.1.weight", "skips.2.weight"}) {
    at::Tensor weight = skipping->named_parameters()[name];
    weight.fill_(0.01);
    EXPECT_FALSE(skipping->means(image).front().equal(mean)) << name;
    weight.zero_();
  }
}

}  // namespace
}  // namespace supn
