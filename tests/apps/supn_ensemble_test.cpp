#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>

#include "apps/app_runner.hpp"
#include "supn/io/image.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two images of 32×64, a member, and a configuration for them.
class SupnEnsemble : public AppTest {
 protected:
  void SetUp() override {
    AppTest::SetUp();
    const auto images = folder_ / "kitti/2011_09_26/2011_09_26_drive_0001_sync/image_02/data";
    std::filesystem::create_directories(images);
    for (const char* name : {"0000000000.png", "0000000001.png"}) {
      write_png(images / name,
                at::arange(32 * 64 * 3).view({32, 64, 3}).remainder(251).to(at::kByte));
    }
    write("kitti/train.txt",
          "2011_09_26/2011_09_26_drive_0001_sync 0 l\n2011_09_26/2011_09_26_drive_0001_sync 1 l\n");
    write("a.yaml",
          "data:\n  root: kitti\n  samples: samples\n  train_split: kitti/train.txt\n  height: 32\n"
          "  width: 64\nensemble:\n  members: [a.ts]\n");
    torch::jit::Module module("Member");
    module.define("def forward(self, x):\n  return x[:, 0:1] - 2.0\n");
    module.save((folder_ / "a.ts").string());
  }

  AppRun run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--config", "a.yaml"});
    return run_app_program("supn_ensemble", arguments);
  }
  bool wrote_samples() const { return std::filesystem::exists(folder_ / "samples"); }
};

TEST_F(SupnEnsemble, WritesTheSamplesAndGoesOnWhereItWas) {
  const AppRun first = run({});
  const auto file =
      folder_ / "samples/2011_09_26/2011_09_26_drive_0001_sync/image_02/0000000001/logit_0.npy";
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(read_npy(file).sizes(), at::IntArrayRef({1, 32, 64}));
  std::filesystem::resize_file(file, 500);

  const AppRun second = run({"--log-level", "info"});

  EXPECT_EQ(second.code, 0);
  EXPECT_THAT(second.err, HasSubstr("1 images written"));
  EXPECT_THAT(second.err, HasSubstr("1 kept"));
  EXPECT_EQ(read_npy(file).size(0), 1);
}

TEST_F(SupnEnsemble, PrintsAConfigurationThatLoadsBackToTheSame) {
  const AppRun printed = run({"--set", "ensemble.batch_size=3", "--print-config"});
  write("elsewhere/b.yaml", printed.out);

  const AppRun again =
      run_app_program("supn_ensemble", {"--config", "elsewhere/b.yaml", "--print-config"});

  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.out, HasSubstr("batch_size: 3"));
  EXPECT_EQ(again.out, printed.out);
  EXPECT_FALSE(wrote_samples());
}

TEST_F(SupnEnsemble, RefusesBadCallsAndWritesNothing) {
  expect_user_error(run_app_program("supn_ensemble", {}), "--config is required");
  expect_user_error(run_app_program("supn_ensemble", {"--config", "none.yaml"}), "none.yaml");
  expect_user_error(run({"--set", "ensemble.batchsize=3"}), "did you mean ensemble.batch_size?");
  expect_user_error(run({"--set", "data.height=tall"}), "expected a whole number, got 'tall'");
  expect_user_error(run({"--split", "tests"}), "tests");
  expect_user_error(run({"--set", "data.train_split=none.txt"}), "none.txt");
  expect_user_error(run({"--set", "ensemble.members=[none.ts]"}), "none.ts: member not found");
  expect_user_error(run({"--set", "ensemble.members=[a.yaml]"}), "is not a TorchScript file");
  expect_user_error(run({"--set", "ensemble.output_keys=[disp]"}), "has no output 'disp'");
  expect_user_error(run({"--split", "val"}), "none of the splits");
  EXPECT_FALSE(wrote_samples());
}

TEST_F(SupnEnsemble, NamesTheConfigurationsLine) {
  write("a.yaml", "data:\n  root: kitti\nensemble:\n  members: [a.ts]\n  dtype: half\n");
  expect_user_error(run({}), "a.yaml:5: ensemble.dtype: expected float32 or float16, got 'half'");
}

TEST_F(SupnEnsemble, LeavesNothingHalfWrittenBehindACorruptImage) {
  const auto image =
      folder_ / "kitti/2011_09_26/2011_09_26_drive_0001_sync/image_02/data/0000000001.png";
  std::filesystem::resize_file(image, 60);

  expect_user_error(run({}), "0000000001.png");

  for (const std::string& name : files())
    EXPECT_THAT(name, ::testing::Not(HasSubstr("tmp"))) << name;
  EXPECT_FALSE(std::filesystem::exists(
      folder_ / "samples/2011_09_26/2011_09_26_drive_0001_sync/image_02/0000000001/logit_0.npy"));
}

TEST_F(SupnEnsemble, ShowsHelpVersionAndEveryKey) {
  const AppRun help = run_app_program("supn_ensemble", {"--help"});
  const AppRun version = run_app_program("supn_ensemble", {"--version"});
  const AppRun keys = run_app_program("supn_ensemble", {"--help-config"});

  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("--split"));
  EXPECT_THAT(help.out, HasSubstr("Example:"));
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, HasSubstr("LibTorch"));
  EXPECT_EQ(keys.code, 0);
  EXPECT_THAT(keys.out, HasSubstr("| `ensemble.members` |"));
  EXPECT_THAT(help.err + version.err + keys.err, IsEmpty());
}

}  // namespace
}  // namespace supn
