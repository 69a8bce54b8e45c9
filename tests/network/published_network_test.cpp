// Published networks' files as members: names, heads, dropout, faults; outputs of the real ones.
#include "supn/network/published_network.hpp"

#include <ATen/ops/rand.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <limits>

#include "network/formula.hpp"
#include "serialization/pth_fixture.hpp"
#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;
using Tensors = std::map<std::string, at::Tensor>;

// The files of a ResNet18 network, filled by formula, as PyTorch programs name their tensors.
class PublishedResnet : public ::testing::Test {
 protected:
  PublishedResnet() : network_(NetworkConfig{.neighbourhood_radius = 0}) {
    test::fill_by_formula(*network_);
    network_->eval();
    for (const auto& [name, tensor] : state_of(*network_)) {
      if (name.starts_with("encoder.")) encoder_.emplace(name, tensor);
      if (name.starts_with("decoder.")) decoder_.emplace(name, tensor);
    }
    encoder_.emplace("encoder.fc.weight", at::zeros({1000, 512}));
  }

  // Moves the logit heads apart and puts log-scale heads between them, equal to the logit heads
  // times −1.
  void add_log_scale_heads() {
    for (int scale = 3; scale >= 0; --scale) {
      for (const char* part : {"weight", "bias"}) {
        const auto name = [&](int i) { return "decoder." + std::to_string(i) + ".conv." + part; };
        const at::Tensor logit = decoder_.at(name(10 + scale));
        decoder_[name(10 + 2 * scale)] = logit;
        decoder_[name(11 + 2 * scale)] = -logit;
      }
    }
  }

  PublishedNetwork read() const {
    write_safetensors(folder_ / "encoder.safetensors", {encoder_, {}});
    write_safetensors(folder_ / "depth.safetensors", {decoder_, {}});
    return read_published_network(folder_ / "encoder.safetensors", folder_ / "depth.safetensors");
  }
  MemberNetwork member(double dropout = 0.0, std::int64_t seed = 0) const {
    const PublishedNetwork network = read();
    MemberFile file{network.config, network.size, network.tensors};
    file.config.dropout = dropout;
    file.config.dropout_seed = seed;
    write_member(folder_ / "member.safetensors", file);
    return {folder_ / "member.safetensors", c10::Device(c10::kCPU)};
  }
  std::string fault() const {
    try {
      read();
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  }
  static at::Tensor images() {
    at::manual_seed(5);
    return at::rand({2, 3, 64, 96});
  }

  test::TemporaryFolder folder_;
  SupnNetwork network_;
  Tensors encoder_;
  Tensors decoder_;
};

TEST_F(PublishedResnet, PredictsWhatTheMeanNetworkPredicts) {
  const at::NoGradGuard no_grad;
  const MemberMaps maps = member().predict(images());
  const std::vector<at::Tensor> expected = network_->means(images());

  ASSERT_EQ(maps.logits.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_TRUE(maps.logits[s].equal(expected[s])) << s;
  EXPECT_FALSE(maps.log_scale.defined());
}

TEST_F(PublishedResnet, TakesInterleavedHeadsApart) {
  const at::NoGradGuard no_grad;
  add_log_scale_heads();
  const MemberNetwork network = member();
  const MemberMaps maps = network.predict(images());
  const std::vector<at::Tensor> expected = network_->means(images());

  EXPECT_EQ(network.config().log_scale, LogScaleHead::kPresent);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_TRUE(maps.logits[s].equal(expected[s])) << s;
  EXPECT_TRUE(maps.log_scale.equal(-expected.front()));
}

TEST_F(PublishedResnet, ReadsNamesWithoutPrefixAndOfSeveralGpus) {
  Tensors bare;
  for (const auto& [name, tensor] : encoder_) bare.emplace("module." + name.substr(8), tensor);
  std::erase_if(bare, [](const auto& item) { return item.first.ends_with("tracked"); });
  encoder_ = bare;

  const at::NoGradGuard no_grad;
  EXPECT_TRUE(member().predict(images()).logits[0].equal(network_->means(images())[0]));
}

// As torch.save writes a whole training state: the weights below one name, others beside.
TEST_F(PublishedResnet, LooksBelowOneSharedName) {
  const at::NoGradGuard no_grad;
  const Tensors encoder = encoder_;
  const Tensors decoder = decoder_;
  for (const std::string name : {"state_dict.", "model.", "state_dict.module."}) {
    encoder_ = {{"optimizer.0.exp_avg", at::zeros({3})}};
    for (const auto& [own, tensor] : encoder) encoder_.emplace(name + own, tensor);
    decoder_.clear();
    for (const auto& [own, tensor] : decoder) decoder_.emplace(name + own, tensor);
    EXPECT_TRUE(member().predict(images()).logits[0].equal(network_->means(images())[0])) << name;
  }
}

TEST_F(PublishedResnet, RefusesWeightsThatAreNotFinite) {
  at::Tensor variance = encoder_.at("encoder.bn1.running_var").clone();
  variance[3] = std::numeric_limits<double>::quiet_NaN();
  encoder_["encoder.bn1.running_var"] = variance;
  EXPECT_THAT(fault(), HasSubstr("has a value in encoder.bn1.running_var that is not finite"));
}

TEST(PublishedNetwork, RefusesASizeThatIsNone) {
  using namespace test;
  const TemporaryFolder folder;
  const auto fault = [&](const std::string& height) {
    const std::string weight = pickled::tensor({.type = "FloatStorage", .count = 1}, {0, {1}, {1}});
    const std::string object =
        pickled::dict({{"encoder.layer1.0.conv1.weight", weight}, {"height", height}});
    write_bytes(folder / "a.pth", zip_file(object, {{"0", std::string(4, '\0')}}));
    try {
      read_published_network(folder / "a.pth", folder / "a.pth");
    } catch (const IoError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(fault(pickled::integer(192)), HasSubstr("no tensor"));
  for (const std::string& height :
       {pickled::integer(-1), pickled::integer(1L << 40), pickled::text("192")}) {
    EXPECT_THAT(fault(height), HasSubstr("a height that is no number of pixels"));
  }
}

TEST_F(PublishedResnet, DropsTheSameFeaturesInEveryImageAndOthersForAnotherSeed) {
  const at::Tensor both = member(0.2, 1).predict(images()).logits[0];
  const at::Tensor second = member(0.2, 1).predict(images().narrow(0, 1, 1)).logits[0];
  const at::Tensor other = member(0.2, 2).predict(images()).logits[0];
  const at::Tensor none = member().predict(images()).logits[0];

  EXPECT_LE((both.narrow(0, 1, 1) - second).abs().max().item<double>(), 1e-4);
  EXPECT_GT((both - other).abs().max().item<double>(), 0.01);
  EXPECT_GT((both - none).abs().max().item<double>(), 0.01);
  EXPECT_THROW(member(1.0), IoError);
}

TEST_F(PublishedResnet, NamesWhatDoesNotFit) {
  const at::Tensor weight = decoder_.at("decoder.3.conv.conv.weight");
  decoder_.erase("decoder.3.conv.conv.weight");
  EXPECT_THAT(fault(), HasSubstr("depth.safetensors: has no tensor decoder.3.conv.conv.weight"));
  decoder_["decoder.3.conv.conv.weight"] = weight.narrow(0, 0, 3);
  EXPECT_THAT(fault(), HasSubstr("[3, 256, 3, 3], expected floating point [128, 256, 3, 3]"));
  decoder_["decoder.3.conv.conv.weight"] = weight;
  encoder_["encoder.layer1.0.conv3.weight"] = at::zeros({1});
  EXPECT_THAT(fault(), HasSubstr("another depth than 18"));
  encoder_ = {{"stem.weight", at::zeros({1})}};
  EXPECT_THAT(fault(), HasSubstr("no encoder that is known"));
  encoder_ = {{"convs.0.0.weight", at::zeros({1})}, {"skips.0.weight", at::zeros({1})}};
  EXPECT_THAT(fault(), HasSubstr("a compact network with skips"));
}

TEST_F(PublishedResnet, RefusesFilesThatAreNoMembers) {
  const auto fault_of = [&](const SafetensorsFile& file) -> std::string {
    write_safetensors(folder_ / "a.safetensors", file);
    try {
      MemberNetwork(folder_ / "a.safetensors", c10::Device(c10::kCPU));
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(fault_of({{{"a", at::zeros({1})}}, {}}), HasSubstr("has no tensor"));
  EXPECT_THAT(fault_of({{}, {{"backbone", "vgg"}}}), HasSubstr("does not know"));
  EXPECT_THAT(fault_of({{}, {{"backbone", "compact"}, {"log_scale", "no"}, {"dropout", "x"}}}),
              HasSubstr("no number \"dropout\""));
}

}  // namespace
}  // namespace supn
