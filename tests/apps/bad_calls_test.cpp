// What goes wrong most often, on the road world, with every app a user would meet it in: exit code
// 1, one line that names file and remedy, nothing half-written.
#include <ATen/ops/zeros.h>

#include <fstream>

#include "apps/app_runner.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/npy.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

class BadCalls : public AppTest {
 protected:
  void SetUp() override {
    AppTest::SetUp();
    ASSERT_NO_FATAL_FAILURE(synthesise("96x32", 2, 1, 1));
    write("good.yaml", kConfig);
  }

  AppRun train(const std::vector<std::string>& settings,
               const std::string& config = "good.yaml") const {
    std::vector<std::string> arguments{"--config", config, "--device", "cpu"};
    for (const std::string& setting : settings) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    return run_app_program("supn_train", arguments);
  }

  // An image and a sample file of the training split.
  fs::path image() const {
    return folder_ / "road/2000_01_01/2000_01_01_drive_0001_sync/image_02/data/0000000000.png";
  }
  fs::path samples() const {
    return folder_ /
           "road/samples/2000_01_01/2000_01_01_drive_0001_sync/image_02/0000000000/logit_0.npy";
  }

  void expect_nothing_half_written() const {
    for (const std::string& file : files()) {
      EXPECT_EQ(file.find(".part"), std::string::npos) << file;
      EXPECT_EQ(file.find("run/last"), std::string::npos) << file;
      EXPECT_EQ(file.find("run/best"), std::string::npos) << file;
    }
  }

  void TearDown() override {
    expect_nothing_half_written();
    AppTest::TearDown();
  }

  static constexpr const char* kConfig =
      "data:\n"
      "  root: road\n"
      "  samples: road/samples\n"
      "  train_split: road/splits/train_files.txt\n"
      "  val_split: road/splits/val_files.txt\n"
      "  test_split: road/splits/test_files.txt\n"
      "  height: 32\n"
      "  width: 96\n"
      "network:\n"
      "  backbone: compact\n"
      "training:\n"
      "  epochs: 1\n"
      "  batch_size: 2\n"
      "  output: run\n";
};

TEST_F(BadCalls, MissingFile) {
  fs::remove(folder_ / "road/splits/train_files.txt");
  expect_user_error(train({}), "train_files.txt");
}

TEST_F(BadCalls, MissingConfiguration) {
  expect_user_error(train({}, "absent.yaml"), "absent.yaml");
}

TEST_F(BadCalls, UnknownKeyWithItsLine) {
  write("bad.yaml", std::string(kConfig) + "  epoch: 3\n");
  expect_user_error(train({}, "bad.yaml"), "bad.yaml:15");
  expect_user_error(train({}, "bad.yaml"), "epochs");
}

TEST_F(BadCalls, WrongType) {
  write("bad.yaml", std::string(kConfig) + "  seed: many\n");
  expect_user_error(train({}, "bad.yaml"), "bad.yaml:15");
}

TEST_F(BadCalls, WrongTypeOnTheCommandLine) {
  expect_user_error(train({"training.epochs=few"}), "training.epochs");
}

TEST_F(BadCalls, CorruptImage) {
  fs::resize_file(image(), fs::file_size(image()) / 2);
  expect_user_error(train({}), "data/0000000000.png");
}

TEST_F(BadCalls, TruncatedSampleFile) {
  fs::resize_file(samples(), fs::file_size(samples()) - 100);
  expect_user_error(train({}), "logit_0.npy");
}

TEST_F(BadCalls, WrongNumberOfMembers) {
  // Another file of the set has three: the one that differs is named.
  write_npy(samples(), at::zeros({2, 32, 96}));
  expect_user_error(train({}), "logit_0.npy");
}

TEST_F(BadCalls, WrongSizeOfTheMaps) {
  write_npy(samples(), at::zeros({3, 16, 96}));
  expect_user_error(train({}), "logit_0.npy");
}

TEST_F(BadCalls, SizeThatDoesNotFitTheNetwork) {
  expect_user_error(train({"data.height=40"}), "multiples of 16");
  expect_user_error(train({"network.backbone=resnet18", "data.width=100"}), "multiples of 32");
}

TEST_F(BadCalls, UnwritableOutput) {
  write("file", "x");
  expect_user_error(train({"training.output=file/run"}), "file/run");
  save_checkpoint(
      folder_ / "model",
      {SupnNetwork(NetworkConfig{.backbone = Backbone::kCompact}), {32, 96}, {}, "", ""});
  expect_user_error(
      run_app_program(
          "supn_sample",
          {"--checkpoint", "model", "--image", image().string(), "--out", "file/samples"}),
      "file/samples");
}

TEST_F(BadCalls, CheckpointOfAnotherArchitecture) {
  const fs::path model = folder_ / "model";
  save_checkpoint(
      model, {SupnNetwork(NetworkConfig{.backbone = Backbone::kCompact}), {32, 96}, {}, "", ""});
  const SupnNetwork other(NetworkConfig{.backbone = Backbone::kCompact, .neighbourhood_radius = 1});
  write_safetensors(model / "model.safetensors", {state_of(*other), {}});
  expect_user_error(
      run_app_program("supn_sample",
                      {"--checkpoint", "model", "--image", image().string(), "--out", "samples"}),
      "architecture");
  expect_user_error(
      run_app_program("supn_eval",
                      {"--checkpoint", "model", "--config", "good.yaml", "--split", "test"}),
      "architecture");
  EXPECT_FALSE(fs::exists(folder_ / "samples"));
}

}  // namespace
}  // namespace supn
