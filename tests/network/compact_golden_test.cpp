// The compact mean network with a member's published weights against that member's golden logits.
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "supn/io/image.hpp"
#include "supn/network/weights.hpp"
#include "supn/serialization/npy.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

struct Frame {
  const char* image;
  const char* logits;  // [8,192,640], one map per member
};

void PrintTo(const Frame& frame, std::ostream* stream) { *stream << frame.image; }

class CompactGolden : public ::testing::TestWithParam<Frame> {};

TEST_P(CompactGolden, PredictsWhatTheMemberPredicts) {
  const fs::path members = fs::path(SUPN_SHARED_DIR) / "data" / "members";
  if (!fs::exists(members / "boot_0.safetensors")) {
    GTEST_SKIP() << "the members are not beside this checkout";
  }
  const at::NoGradGuard no_grad;
  SupnNetwork network(NetworkConfig{.backbone = Backbone::kCompact});
  network->eval();

  const WeightReport report =
      load_weights(*network, read_safetensors(members / "boot_0.safetensors").tensors);
  const at::Tensor rgb = read_rgb(members / "golden" / GetParam().image);
  const at::Tensor image = rgb.permute({2, 0, 1}).unsqueeze(0).to(at::kFloat) / 255;
  const at::Tensor logits = network->means(image).front();

  EXPECT_THAT(report.mismatched, ::testing::IsEmpty());
  EXPECT_THAT(report.missing, ::testing::Each(::testing::StartsWith("supn.")));
  EXPECT_THAT(report.unexpected,
              ::testing::ElementsAre("log_scale.conv3.bias", "log_scale.conv3.weight"));
  const at::Tensor golden = read_npy(members / "golden" / GetParam().logits)[0];
  EXPECT_LE((logits[0][0] - golden).abs().max().item<double>(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Members,
    CompactGolden,
    ::testing::Values(Frame{"2011_09_26_drive_0002_sync_0000000003_input_640x192.png",
                            "2011_09_26__2011_09_26_drive_0002_sync__image_02__0000000003.npy"},
                      Frame{"2011_09_26_drive_0013_sync_0000000020_input_640x192.png",
                            "2011_09_26__2011_09_26_drive_0013_sync__image_02__0000000020.npy"}),
    [](const auto& frame) { return "Frame" + std::to_string(frame.index); });

}  // namespace
}  // namespace supn
