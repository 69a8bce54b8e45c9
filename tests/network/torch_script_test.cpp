#include "supn/network/torch_script.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>

#include "network/formula.hpp"

namespace supn {
namespace {

SupnNetwork network_of(const NetworkConfig& config) {
  SupnNetwork network(config);
  test::fill_by_formula(*network);
  network->eval();
  return network;
}

AppliedTemperature tempered(double value) { return {CalibratedOn::kTruth, {.value = value}}; }

class TorchScript : public ::testing::TestWithParam<NetworkConfig> {};

// Nothing of the size or batch that was traced may have stayed in it.
TEST_P(TorchScript, GivesWhatTheNetworkGivesAtAnySize) {
  SupnNetwork network = network_of(GetParam());
  const std::string archive = torch_script_of(*network, {192, 640});

  at::manual_seed(1);
  EXPECT_LE(torch_script_difference(archive, *network, at::rand({1, 3, 64, 96})), 1e-5);
  EXPECT_LE(torch_script_difference(archive, *network, at::rand({3, 3, 96, 64})), 1e-5);
  EXPECT_LE(torch_script_method_difference(archive, *network, at::rand({3, 3, 96, 64})), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Forms,
    TorchScript,
    ::testing::Values(
        NetworkConfig{.backbone = Backbone::kResnet18},
        NetworkConfig{.backbone = Backbone::kCompact, .neighbourhood_radius = 0},
        NetworkConfig{.backbone = Backbone::kCompact, .off_diagonal = OffDiagonalForm::kNone},
        NetworkConfig{.backbone = Backbone::kCompact, .off_diagonal = OffDiagonalForm::kRelative},
        NetworkConfig{.backbone = Backbone::kCompact,
                      .off_diagonal = OffDiagonalForm::kContractive,
                      .coordinate_maps = false,
                      .diagonal_scaling = false},
        NetworkConfig{.backbone = Backbone::kCompact, .off_diagonal = OffDiagonalForm::kFactored},
        NetworkConfig{.backbone = Backbone::kCompact, .off_diagonal = OffDiagonalForm::kTwofold}),
    [](const auto& form) {
      return std::string(option_name(form.param.backbone)) + "_" +
             std::string(option_name(form.param.off_diagonal)) + "_" +
             std::to_string(form.param.neighbourhood_radius);
    });

std::string fault_of(const std::string& archive, const at::Tensor& image) {
  std::istringstream stream(archive);
  try {
    torch::jit::load(stream).forward({image});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// A trace alone would pad them and give maps of another size.
TEST(TorchScriptFile, RefusesSizesThatTheNetworkRefuses) {
  SupnNetwork network = network_of({.backbone = Backbone::kCompact});
  const std::string archive = torch_script_of(*network, {32, 64});
  EXPECT_EQ(fault_of(archive, at::rand({1, 3, 32, 48})), "");
  for (const auto& [height, width] : {std::pair{32, 50}, {40, 64}, {16, 64}}) {
    EXPECT_THAT(fault_of(archive, at::rand({1, 3, height, width})),
                testing::HasSubstr("multiples of 16, at least 32"));
  }
}

TEST(TorchScriptFile, RefusesGreyLevels) {
  SupnNetwork network = network_of({.backbone = Backbone::kCompact});
  const std::string archive = torch_script_of(*network, {32, 64});
  const at::Tensor image = at::rand({1, 3, 32, 64});
  for (const at::Tensor& wrong : {image * 255, image - 0.5, (image * 255).to(at::kByte)}) {
    EXPECT_THAT(fault_of(archive, wrong), testing::HasSubstr("divide 0..255 by 255"));
  }
}

TEST(TorchScriptFile, CropsToTheCentreWhereItIsAsked) {
  SupnNetwork network = network_of({.backbone = Backbone::kCompact});
  std::istringstream stream(torch_script_of(*network, {32, 64}));
  torch::jit::Module module = torch::jit::load(stream);
  const at::Tensor image = at::rand({1, 3, 40, 70});
  const at::Tensor cropped = module.get_method("cropped")({image}).toTensor();
  EXPECT_TRUE(cropped.equal(image.slice(2, 4, 36).slice(3, 3, 67)));
}

class TorchScriptCoarseToFine : public ::testing::TestWithParam<NetworkConfig> {};

TEST_P(TorchScriptCoarseToFine, GivesWhatTheNetworkGivesAtItsSizeForAnyBatch) {
  SupnNetwork network = network_of(GetParam());
  const ImageSize size{96, 160};
  const std::string archive = torch_script_of(*network, size, tempered(2.0));

  at::manual_seed(1);
  EXPECT_LE(torch_script_difference(archive, *network, at::rand({1, 3, 96, 160}), 2.0), 1e-5);
  EXPECT_LE(torch_script_difference(archive, *network, at::rand({3, 3, 96, 160}), 2.0), 1e-5);
  EXPECT_GT(torch_script_difference(archive, *network, at::rand({1, 3, 96, 160})), 1e-2);
  EXPECT_LE(torch_script_method_difference(archive, *network, at::rand({2, 3, 96, 160}), 2.0),
            1e-4);
  EXPECT_GT(torch_script_method_difference(archive, *network, at::rand({2, 3, 96, 160})), 1e-2);
  EXPECT_THAT(fault_of(archive, at::rand({1, 3, 192, 160})),
              testing::HasSubstr("must be 96 and 160"));
}

INSTANTIATE_TEST_SUITE_P(Networks,
                         TorchScriptCoarseToFine,
                         ::testing::Values(NetworkConfig{.backbone = Backbone::kResnet18,
                                                         .order = PixelOrder::kCoarseToFine},
                                           NetworkConfig{.backbone = Backbone::kCompactUnet,
                                                         .order = PixelOrder::kCoarseToFine},
                                           NetworkConfig{.backbone = Backbone::kCompact,
                                                         .order = PixelOrder::kCoarseToFine,
                                                         .classes = 3,
                                                         .neighbours = 20}));

TEST(TorchScriptFile, DescribesTheClassesFromCoarseToFine) {
  SupnNetwork network =
      network_of({.backbone = Backbone::kCompact, .order = PixelOrder::kCoarseToFine});
  std::istringstream stream(torch_script_of(*network, {64, 64}));
  torch::jit::ExtraFilesMap files{{"supn.json", ""}};
  torch::jit::load(stream, c10::nullopt, files);

  const std::string& text = files.at("supn.json");
  EXPECT_THAT(text, ::testing::HasSubstr("\"order\":\"coarse_to_fine\""));
  EXPECT_THAT(text,
              ::testing::HasSubstr("{\"step\":0,\"level\":5,\"row\":16,\"column\":16,"
                                   "\"stride\":32,\"offsets_dy_dx\":[[0,32],[0,64]"));
}

TEST(TorchScriptFile, HoldsTheTemperature) {
  SupnNetwork network = network_of({.backbone = Backbone::kCompact});
  const std::string archive = torch_script_of(*network, {32, 64}, tempered(3.0));
  const at::Tensor image = at::rand({1, 3, 32, 64});
  EXPECT_LE(torch_script_difference(archive, *network, image, 3.0), 1e-5);
  EXPECT_GT(torch_script_difference(archive, *network, image), 0.1);
  std::istringstream stream(archive);
  torch::jit::ExtraFilesMap files{{"supn.json", ""}};
  torch::jit::load(stream, c10::nullopt, files);
  EXPECT_THAT(files.at("supn.json"), ::testing::HasSubstr("\"calibration\":\"truth\""));
}

TEST(TorchScriptFile, SeesADifferentNetwork) {
  SupnNetwork network = network_of({.backbone = Backbone::kCompact});
  const std::string archive = torch_script_of(*network, {32, 64});
  for (auto& [name, tensor] : state_of(*network)) {
    const at::NoGradGuard no_grad;
    if (name == "supn.block.0.diag.conv.bias") at::Tensor(tensor).add_(0.1);
  }
  EXPECT_GT(torch_script_difference(archive, *network, at::rand({1, 3, 32, 64})), 1e-3);
}

TEST(TorchScriptFile, KeepsNamesAndSaysWhatItsMapsAre) {
  SupnNetwork network = network_of({.backbone = Backbone::kCompact});
  std::istringstream stream(torch_script_of(*network, {192, 640}));
  torch::jit::ExtraFilesMap files{{"supn.json", ""}};

  const torch::jit::Module module = torch::jit::load(stream, c10::nullopt, files);

  std::map<std::string, at::Tensor> names;
  for (const auto& item : module.named_parameters()) names.emplace(item.name, item.value);
  for (const auto& item : network->named_parameters()) {
    ASSERT_EQ(names.count(item.key()), 1U) << item.key();
    EXPECT_TRUE(names.at(item.key()).equal(item.value())) << item.key();
  }
  EXPECT_THAT(files.at("supn.json"), ::testing::HasSubstr("\"neighbourhood_radius\":2"));
  EXPECT_THAT(files.at("supn.json"), ::testing::HasSubstr("[0,1],[0,2],[1,-2]"));
}

}  // namespace
}  // namespace supn
