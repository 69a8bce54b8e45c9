// The real ensemble of eight on real images against what Python computed.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ensemble/ensemble_fixture.hpp"
#include "supn/ensemble/run_ensemble.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

const std::filesystem::path kData = std::filesystem::path(SUPN_SHARED_DIR) / "data";
// Python and C++ run the same TorchScript with other thread counts and kernels.
constexpr double kTolerance = 5e-4;

EnsembleConfig eight_members() {
  EnsembleConfig config;
  for (int i = 0; i < 8; ++i) {
    config.members.push_back(kData / "members" / ("boot_" + std::to_string(i) + ".ts"));
  }
  config.output_keys = {"disp_logit_0", "disp_logit_1", "disp_logit_2"};
  config.log_scale_key = "log_scale_0";
  return config;
}

double largest_difference(const at::Tensor& a, const std::filesystem::path& golden) {
  return (a - read_npy(golden)).abs().max().item<double>();
}

using RealEnsemble = EnsembleFiles;

TEST_F(RealEnsemble, GivesTheGoldenOutputs) {
  if (!std::filesystem::exists(kData / "members")) GTEST_SKIP() << "needs " << kData;
  DataConfig data;
  data.root = kData / "kitti_mini";
  data.samples = folder_ / "samples";
  data.height = 192;
  data.width = 640;
  std::ofstream(folder_ / "split.txt") << "2011_09_26/2011_09_26_drive_0002_sync 3 l\n"
                                       << "2011_09_26/2011_09_26_drive_0013_sync 20 l\n";
  const std::vector<Frame> frames = read_split(folder_ / "split.txt");

  run_ensemble(eight_members(), data, frames, at::Device(at::kCPU), {[](ImageOutcome, auto) {}});

  const auto golden = kData / "members" / "golden";
  const std::string first = "2011_09_26__2011_09_26_drive_0002_sync__image_02__0000000003";
  const std::string second = "2011_09_26__2011_09_26_drive_0013_sync__image_02__0000000020";
  const auto samples_of = [&](std::size_t i, const std::string& name) {
    return read_npy(data.samples / frames[i].id() / name);
  };
  EXPECT_LT(largest_difference(samples_of(0, "logit_0.npy"), golden / (first + ".npy")),
            kTolerance);
  EXPECT_LT(largest_difference(samples_of(1, "logit_0.npy"), golden / (second + ".npy")),
            kTolerance);
  EXPECT_LT(
      largest_difference(samples_of(0, "log_scale_0.npy"), golden / (first + "__log_scale.npy")),
      kTolerance);
  EXPECT_EQ(samples_of(0, "logit_1.npy").sizes(), at::IntArrayRef({8, 96, 320}));
  EXPECT_EQ(samples_of(0, "logit_2.npy").sizes(), at::IntArrayRef({8, 48, 160}));
}

}  // namespace
}  // namespace supn
