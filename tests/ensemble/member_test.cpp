#include "supn/ensemble/member.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/linspace.h>
#include <gmock/gmock.h>

#include "ensemble/ensemble_fixture.hpp"
#include "serialization/pth_fixture.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Two images of 4×6; the members below make their maps of the first channel.
at::Tensor images() { return at::linspace(0.05, 0.95, 2 * 3 * 4 * 6).view({2, 3, 4, 6}); }
at::Tensor red() { return images().narrow(1, 0, 1); }

class MemberTest : public EnsembleFiles {
 protected:
  MemberOutput predict(const std::string& body, const EnsembleConfig& config = {}) const {
    return Member(member("m.ts", body), config, at::Device(at::kCPU)).predict(images());
  }
  std::string fault(const std::string& body, const EnsembleConfig& config = {}) const {
    return message_of<IoError>([&] { predict(body, config); });
  }
};

TEST_F(MemberTest, ReadsATensor) {
  const MemberOutput output = predict("  return x[:, 0:1]\n");

  ASSERT_EQ(output.logits.size(), 1U);
  EXPECT_TRUE(output.logits[0].equal(red()));
  EXPECT_FALSE(output.log_scale.defined());
  EXPECT_EQ(output.clamped, 0);
}

TEST_F(MemberTest, SaysWhatLiesInPlaceOfAModule) {
  const auto fault_of = [&](const std::string& bytes) {
    std::ofstream(folder_ / "m.pt", std::ios::binary) << bytes;
    return message_of<IoError>([&] { Member(folder_ / "m.pt", {}, at::Device(at::kCPU)); });
  };
  const std::string weight = test::pickled::tensor({.count = 1}, {0, {1}, {1}});
  const std::string state_dict =
      test::zip_file(test::pickled::dict({{"w", weight}}), {{"0", std::string(4, '\0')}});
  EXPECT_THAT(fault_of(state_dict), HasSubstr("convert it with supn_import"));
  EXPECT_THAT(fault_of("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("git lfs pull"));
  EXPECT_THAT(fault_of("<!DOCTYPE html>"), HasSubstr("is a web page"));
  EXPECT_THAT(fault_of("neither"), HasSubstr("is not a TorchScript file"));
}

TEST_F(MemberTest, AddsTheChannelOfMapsWithoutOne) {
  EXPECT_TRUE(predict("  return x[:, 0]\n").logits[0].equal(red()));
}

TEST_F(MemberTest, ReadsATupleAndLeavesTheLogScaleOut) {
  EnsembleConfig config;
  config.log_scale_key = "1";

  const MemberOutput output =
      predict("  r = x[:, 0:1]\n  return (r, -r, r[:, :, 0:2, 0:3])\n", config);

  ASSERT_EQ(output.logits.size(), 2U);
  EXPECT_TRUE(output.logits[0].equal(red()));
  EXPECT_EQ(output.logits[1].sizes(), at::IntArrayRef({2, 1, 2, 3}));
  EXPECT_TRUE(output.log_scale.equal(-red()));
}

TEST_F(MemberTest, ReadsAListByPosition) {
  EnsembleConfig config;
  config.output_keys = {"1"};

  const MemberOutput output = predict("  return [x[:, 1:2], x[:, 0:1]]\n", config);

  ASSERT_EQ(output.logits.size(), 1U);
  EXPECT_TRUE(output.logits[0].equal(red()));
}

TEST_F(MemberTest, ReadsADictByKey) {
  EnsembleConfig config;
  config.output_keys = {"fine", "coarse"};
  config.log_scale_key = "u";

  const MemberOutput output = predict(
      "  r = x[:, 0:1]\n  return {'coarse': r[:, :, 0:2], 'u': -r, 'fine': r, 'other': x}\n",
      config);

  ASSERT_EQ(output.logits.size(), 2U);
  EXPECT_TRUE(output.logits[0].equal(red()));
  EXPECT_EQ(output.logits[1].size(2), 2);
  EXPECT_TRUE(output.log_scale.equal(-red()));
}

TEST_F(MemberTest, TurnsItsQuantityIntoLogits) {
  EnsembleConfig config;
  config.quantity = MemberQuantity::kSigmoid;

  const MemberOutput output = predict("  return torch.sigmoid(x[:, 0:1])\n", config);

  EXPECT_TRUE(output.logits[0].allclose(red(), 1e-5, 1e-5));
}

TEST_F(MemberTest, ListsTheKeysThereAre) {
  EnsembleConfig config;
  config.output_keys = {"disp"};
  const std::string dict = "  return {'a': x[:, 0:1], 'b': x[:, 0:1]}\n";

  EXPECT_THAT(
      fault(dict, config),
      AllOf(HasSubstr("m.ts"), HasSubstr("no output 'disp'"), HasSubstr("(outputs: a, b)")));
  EXPECT_THAT(fault(dict), HasSubstr("ensemble.output_keys"));
  EXPECT_THAT(fault("  return x[:, 0:1]\n", config), HasSubstr("outputs one tensor"));
}

TEST_F(MemberTest, RefusesOutputsThatAreNoMaps) {
  EXPECT_THAT(fault("  return x\n"), HasSubstr("expected floating-point maps"));
  EXPECT_THAT(fault("  return x[0:1, 0:1]\n"), HasSubstr("B = 2"));
  EXPECT_THAT(fault("  return (x[:, 0:1] > 0.5)\n"), HasSubstr("Bool"));
  EXPECT_THAT(fault("  return 3\n"), HasSubstr("expected a tensor, list, tuple or dict"));
  EXPECT_THAT(fault("  return torch.log(x[:, 0:1] - 1.0)\n"), HasSubstr("NaN"));
  EXPECT_THAT(fault("  r = x[:, 0:1]\n  return (r[:, :, 0:2], r)\n"),
              HasSubstr("from the finest to the coarsest"));
}

TEST_F(MemberTest, NamesTheFileThatFailsOnAnInput) {
  EXPECT_THAT(fault("  return torch.matmul(x, x)\n"),
              AllOf(HasSubstr("m.ts: fails on an input of shape [2, 3, 4, 6]"),
                    HasSubstr("Expected size")));
}

TEST_F(MemberTest, SettlesALayoutInWhichItsModuleRuns) {
  const std::string convolution =
      "  y = torch.conv2d(x, 0.1 * torch.ones([2, 3, 3, 3]), padding=[1, 1])\n";
  // The second takes the convolution's output for contiguous.
  for (const char* end : {"  return y[:, 0:1]\n", "  return y.view([2, 1, 8, 6])\n"}) {
    Member settled(member("m.ts", convolution + end), {}, at::Device(at::kCPU));
    const at::Tensor before = settled.predict(images()).logits[0];

    const at::Tensor returned = settled.settle_layout(images()).logits[0];

    EXPECT_TRUE(returned.allclose(before, 1e-5, 1e-6)) << end;
    EXPECT_TRUE(settled.predict(images()).logits[0].allclose(before, 1e-5, 1e-6)) << end;
  }
}

TEST_F(MemberTest, RefusesFilesThatAreNoModule) {
  const auto garbage = folder_ / "garbage.ts";
  std::ofstream(garbage) << "PK not a module";
  const auto cut = member("cut.ts", "  return x\n");
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  const auto load = [](const std::filesystem::path& file) {
    return message_of<IoError>([&] { Member(file, {}, at::Device(at::kCPU)); });
  };

  EXPECT_THAT(load(garbage), HasSubstr("is not a TorchScript file"));
  EXPECT_THAT(load(cut), HasSubstr("is not a TorchScript file"));
  EXPECT_THAT(load(folder_ / "none.ts"), HasSubstr("member not found"));
  EXPECT_THAT(load(folder_), HasSubstr("is a folder"));
}

}  // namespace
}  // namespace supn
