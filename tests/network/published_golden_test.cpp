// The published networks and the ensemble's members, run here from their own files, against the
// outputs that Python recorded. They are not part of the repository.
#include <ATen/ops/sigmoid.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "serialization/temporary_folder.hpp"
#include "supn/io/image.hpp"
#include "supn/network/published_network.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

class PublishedGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedGolden, PredictsWhatThePublishedNetworkPredicts) {
  const fs::path teachers = fs::path(SUPN_SHARED_DIR) / "data" / "teachers" / "rtmonodepth_s";
  const std::string name = GetParam();
  const fs::path encoder = teachers / (name + "_640_192_encoder.pth");
  if (!fs::exists(encoder)) GTEST_SKIP() << "the published networks are not beside this checkout";
  const test::TemporaryFolder folder;

  const PublishedNetwork network =
      read_published_network(encoder, teachers / (name + "_640_192_depth.pth"));
  write_member(folder / "member.safetensors", {network.config, network.size, network.tensors});
  const MemberNetwork member(folder / "member.safetensors", c10::Device(c10::kCPU));
  const at::Tensor rgb = read_rgb(teachers / "d13_0000000000_input_640x192.png");
  const at::Tensor image = rgb.permute({2, 0, 1}).unsqueeze(0).to(at::kFloat) / 255;
  const at::Tensor sigmoid = member.predict(image).logits.front().sigmoid().squeeze();

  EXPECT_EQ(network.config.backbone, Backbone::kCompact);
  EXPECT_EQ(network.size, (ImageSize{192, 640}));
  const at::Tensor golden =
      read_npy(teachers / ("d13_0000000000_" + name + "_sigmoid_disp.npy")).squeeze();
  EXPECT_LE((sigmoid - golden).abs().max().item<double>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Teachers, PublishedGolden, ::testing::Values("m", "ms"));

}  // namespace
}  // namespace supn
