// Members that are files of weights: run without TorchScript.
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>

#include "ensemble/ensemble_fixture.hpp"
#include "supn/ensemble/member.hpp"
#include "supn/errors.hpp"
#include "supn/network/member_network.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

class NativeMember : public EnsembleFiles {
 protected:
  void SetUp() override {
    EnsembleFiles::SetUp();
    at::manual_seed(3);
    MemberFile file;
    file.config = {.backbone = Backbone::kCompact, .log_scale = LogScaleHead::kPresent};
    for (const auto& [name, shape] : member_shapes(file.config)) {
      file.tensors.emplace(name, 0.03 * at::randn(shape));
    }
    write_member(path(), file);
  }

  std::filesystem::path path() const { return folder_ / "a.safetensors"; }
  Member member(const EnsembleConfig& config) const {
    return {path(), config, at::Device(at::kCPU)};
  }
};

TEST_F(NativeMember, GivesTheNetworksLogitsWhateverTheQuantity) {
  const at::Tensor images = at::rand({2, 3, 32, 48});
  const MemberMaps maps = MemberNetwork(path(), c10::Device(c10::kCPU)).predict(images);
  EnsembleConfig config;
  config.quantity = MemberQuantity::kSigmoid;

  const MemberOutput output = member(config).predict(images);

  ASSERT_EQ(output.logits.size(), 3U);
  ASSERT_EQ(output.clamped, 0);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_TRUE(output.logits[s].equal(maps.logits[s])) << s;
  EXPECT_FALSE(output.log_scale.defined());
}

TEST_F(NativeMember, GivesLogScalesAndChosenScalesWhenAskedFor) {
  const at::Tensor images = at::rand({1, 3, 32, 48});
  const MemberMaps maps = MemberNetwork(path(), c10::Device(c10::kCPU)).predict(images);
  EnsembleConfig config;
  config.log_scale_key = "log_scale_0";

  EXPECT_EQ(member(config).predict(images).logits.size(), 3U);
  EXPECT_TRUE(member(config).predict(images).log_scale.equal(maps.log_scale));
  config.output_keys = {"1"};
  EXPECT_TRUE(member(config).predict(images).logits.at(0).equal(maps.logits[1]));
}

TEST_F(NativeMember, RefusesBadFilesAndSizes) {
  EXPECT_THROW(member({}).predict(at::rand({1, 3, 32, 50})), ConfigError);
  std::filesystem::resize_file(path(), 1000);
  EXPECT_THAT(message_of<IoError>([&] { member({}); }), HasSubstr("a.safetensors"));
}

}  // namespace
}  // namespace supn
