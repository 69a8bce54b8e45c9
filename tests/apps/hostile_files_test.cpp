// Damaged files of every format that the apps read, but PyTorch's (hostile_pth_test.cpp).
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <cstring>
#include <opencv2/imgcodecs.hpp>

#include "apps/app_server.hpp"
#include "apps/damaged_files.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/network/checkpoint.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

class HostileFiles : public DamagedFilesTest {
 protected:
  void make_checkpoint() const {
    at::manual_seed(3);
    const SupnNetwork network(NetworkConfig{.backbone = Backbone::kCompact});
    save_checkpoint(good_ / "net", {network, {32, 64}, {}, "", ""});
    write_png(good_ / "image.png", at::arange(32 * 64 * 3).view({32, 64, 3}).to(at::kByte));
  }
  void make_road() const {
    synthesise("64x32", 2, 1, 0);
    fs::rename(folder_ / "road", good_ / "road");
    put(good_ / "a.yaml", kConfig);
  }
  void make_calibration() const {
    put(good_ / "calib/calib_cam_to_cam.txt",
        "S_rect_02: 16 12\nR_rect_00: 1 0 0 0 1 0 0 0 1\nP_rect_02: 10 0 8 0 0 10 6 0 0 0 1 0\n");
    put(good_ / "calib/calib_velo_to_cam.txt", "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\n");
    const std::vector<float> points{4, 0, 0, 0.5F, 5, 1, 1, 0, -1, 0, 0, 0};
    std::string bytes(points.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), points.data(), bytes.size());
    put(good_ / "scan.bin", bytes);
  }

  // With the points of one source.
  Damaged conditioned(const std::string& file, std::vector<std::string> source) const {
    std::vector<std::string> arguments{"--gaussian", "g.safetensors", "--scale", "fixed:5.4"};
    arguments.insert(arguments.end(), {"--samples", "1", "--out", "o"});
    arguments.insert(arguments.end(), source.begin(), source.end());
    return {file, "supn_condition", arguments, {fs::path(file).filename().string()}};
  }
  Damaged sampled(const std::string& file, const std::string& image) const {
    return {file,
            "supn_sample",
            {"--checkpoint", "net", "--image", image, "--count", "1", "--out", "o"},
            {fs::path(file).filename().string(), "net"}};
  }
  Damaged resumed(const std::string& file) const {
    return {file,
            "supn_train",
            {"--config", "a.yaml", "--resume"},
            {"last", "metrics.jsonl", "resume with"}};
  }

  static constexpr const char* kConfig =
      "data:\n  root: road\n  samples: road/samples\n"
      "  train_split: road/splits/train_files.txt\n  val_split: road/splits/val_files.txt\n"
      "  height: 32\n  width: 64\n  workers: 1\n"
      "network:\n  backbone: compact\n"
      "ensemble:\n  members: [a.ts]\n"
      "training:\n  epochs: 1\n  batch_size: 2\n  output: run\n";
};

TEST_F(HostileFiles, Points) {
  put(good_ / "points.csv", "x,y,depth_m\n3,2,4\n10,7,5.5\n");
  damage(conditioned("points.csv", {"--known", "points.csv"}));
}

TEST_F(HostileFiles, Gaussian) {
  put(good_ / "points.csv", "x,y,depth_m\n3,2,4\n");
  damage(conditioned("g.safetensors", {"--known", "points.csv"}));
}

TEST_F(HostileFiles, LidarScan) {
  make_calibration();
  damage(conditioned("scan.bin", {"--lidar", "scan.bin", "--calibration", "calib"}));
}

TEST_F(HostileFiles, Calibration) {
  make_calibration();
  for (const std::string file : {"calib/calib_cam_to_cam.txt", "calib/calib_velo_to_cam.txt"}) {
    Damaged damaged = conditioned(file, {"--lidar", "scan.bin", "--calibration", "calib"});
    damaged.named_by.push_back("--calibration");  // with which no point is in the image
    damage(damaged);
  }
}

TEST_F(HostileFiles, DepthPng) {
  write_depth_png(good_ / "depth.png", at::full({12, 16}, 4.0));
  damage(conditioned("depth.png", {"--depth", "depth.png"}));
}

TEST_F(HostileFiles, Array) {
  write_npy(good_ / "w.npy", at::full({kHeight, kWidth}, 0.5));
  damage({"w.npy",
          "supn_covariance",
          {"--gaussian", "g.safetensors", "--functional", "w.npy", "--out", "o"},
          {"w.npy"}});
}

TEST_F(HostileFiles, PngImage) {
  make_checkpoint();
  damage(sampled("image.png", "image.png"));
}

TEST_F(HostileFiles, JpegImage) {
  make_checkpoint();
  cv::imwrite((good_ / "image.jpg").string(), cv::imread((good_ / "image.png").string()));
  damage(sampled("image.jpg", "image.jpg"));
}

TEST_F(HostileFiles, Weights) {
  make_checkpoint();
  damage(sampled("net/model.safetensors", "image.png"));
}

TEST_F(HostileFiles, NetworkDescription) {
  make_checkpoint();
  damage(sampled("net/network.json", "image.png"));
}

TEST_F(HostileFiles, Split) {
  make_road();
  damage({"road/splits/train_files.txt",
          "supn_data",
          {"check", "--config", "a.yaml", "--quick"},
          {"train_files.txt"}});
}

TEST_F(HostileFiles, Configuration) {
  put(good_ / "a.yaml", kConfig);
  damage({"a.yaml", "supn_train", {"--config", "a.yaml", "--print-config"}, {"a.yaml"}});
}

TEST_F(HostileFiles, Manifest) {
  make_road();
  torch::jit::Module module("Member");
  module.define("def forward(self, x):\n  return x.mean(1, True) * 4.0 - 2.0\n");
  module.save((good_ / "a.ts").string());
  fs::remove_all(good_ / "road/samples");
  fs::copy(good_, folder_ / "run", fs::copy_options::recursive);
  const AppServer server("supn_ensemble");
  const AppRun made = server.run(folder_ / "run", {"--config", "a.yaml"}).run;
  ASSERT_EQ(made.code, 0) << made.err;
  fs::remove_all(good_);
  fs::rename(folder_ / "run", good_);
  damage(
      {"road/samples/ensemble.json", "supn_ensemble", {"--config", "a.yaml"}, {"ensemble.json"}});
}

TEST_F(HostileFiles, ResumedRun) {
  make_road();
  fs::copy(good_, folder_ / "run", fs::copy_options::recursive);
  const AppServer server("supn_train");
  const AppRun made = server.run(folder_ / "run", {"--config", "a.yaml", "--device", "cpu"}).run;
  ASSERT_EQ(made.code, 0) << made.err;
  fs::remove_all(good_);
  fs::rename(folder_ / "run", good_);
  for (const std::string file :
       {"run/last/progress.json", "run/last/optimizer.safetensors", "run/metrics.jsonl"}) {
    damage(resumed(file));
  }
}

}  // namespace
}  // namespace supn
