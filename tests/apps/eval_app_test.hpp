// A KITTI-like set of two images whose maps are constant, so that every figure has a closed form.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/app_runner.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/npy.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn::eval_test {

inline constexpr std::int64_t kHeight = 32;
inline constexpr std::int64_t kWidth = 48;
inline constexpr double kDepth = 10.0;
inline const std::vector<double> kMembers = {-2.0, -2.5, -3.0};
inline constexpr double kTrueStd = 0.5;

inline double depth_of(double sigmoid) { return 5.4 / (0.01 + 9.99 * sigmoid); }
inline double sigmoid(double logit) { return 1.0 / (1.0 + std::exp(-logit)); }

class EvalAppTest : public AppTest {
 protected:
  void SetUp() override {
    AppTest::SetUp();
    for (const int frame : {0, 1}) write_frame(frame);
    write("test.txt", drive() + " 0 l\n" + drive() + " 1 l\n");
    write("a.yaml",
          "data:\n  root: kitti\n  samples: samples\n  truth: truth\n  test_split: test.txt\n"
          "  height: 32\n  width: 48\nevaluation:\n  protocol: eigen_benchmark\n  samples: 4\n"
          "  std_samples: 3\n");
  }

  static std::string drive() { return "2011_09_26/2011_09_26_drive_0001_sync"; }
  static std::string name_of(int frame) { return "000000000" + std::to_string(frame); }
  std::filesystem::path depth_file(int frame) const {
    return folder_ / "kitti" / drive() / "proj_depth/groundtruth/image_02" /
           (name_of(frame) + ".png");
  }

  std::filesystem::path truth_file(int frame) const {
    return folder_ / "truth" / drive() / "image_02" / (name_of(frame) + ".safetensors");
  }

  void write_frame(int frame) const {
    const auto data = folder_ / "kitti" / drive() / "image_02/data";
    std::filesystem::create_directories(data);
    write_png(data / (name_of(frame) + ".png"),
              at::arange(4 * kHeight * kWidth * 3)
                  .view({2 * kHeight, 2 * kWidth, 3})
                  .remainder(251)
                  .to(at::kByte));
    std::filesystem::create_directories(depth_file(frame).parent_path());
    write_depth_png(depth_file(frame), at::full({2 * kHeight, 2 * kWidth}, kDepth));

    const auto samples = folder_ / "samples" / drive() / "image_02" / name_of(frame);
    std::filesystem::create_directories(samples);
    write_npy(
        samples / "logit_0.npy",
        at::tensor(kMembers, at::kFloat).view({3, 1, 1}).expand({3, kHeight, kWidth}).contiguous());

    std::filesystem::create_directories(truth_file(frame).parent_path());
    SafetensorsFile file;
    file.tensors = {{"mean", at::full({1, 1, kHeight, kWidth}, -2.5)},
                    {"log_diagonal", at::full({1, 1, kHeight, kWidth}, -std::log(kTrueStd))},
                    {"off_diagonal", at::zeros({1, 4, kHeight, kWidth})}};
    write_safetensors(truth_file(frame), file);
  }

  void save_network(const std::string& name, const ImageSize& size) const {
    save_checkpoint(folder_ / name, network_of(size));
  }
  static CheckpointParts network_of(const ImageSize& size) {
    NetworkConfig config;
    config.backbone = Backbone::kCompact;
    config.off_diagonal = OffDiagonalForm::kFactored;
    CheckpointParts parts;
    parts.network = SupnNetwork(config);
    parts.size = size;
    return parts;
  }

  AppRun run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--config", "a.yaml"});
    return run_app_program("supn_eval", arguments);
  }

  Json table() const { return parse_json(read_file(folder_ / "out/table.json", 1 << 20)); }
};

inline double score(const Json& table, std::size_t row, const std::string& key) {
  return table.at("rows").at(row).at("scores").at(key).at("mean").get<double>();
}

inline std::string row_name(const Json& table, std::size_t row) {
  return table.at("rows").at(row).at("name").get<std::string>();
}

}  // namespace supn::eval_test
