// supn_eval --external: maps of other programs, with figures of closed form.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/app_runner.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

constexpr std::int64_t kHeight = 32;
constexpr std::int64_t kWidth = 48;
constexpr double kDepth = 10.0;

// Maps of other programs, beside each frame.
class SupnEvalExternal : public AppTest {
 protected:
  // Two images whose depth is the same everywhere.
  void SetUp() override {
    AppTest::SetUp();
    for (const int frame : {0, 1}) {
      const auto data = folder_ / "kitti" / drive() / "image_02/data";
      std::filesystem::create_directories(data);
      write_png(data / (name_of(frame) + ".png"),
                at::zeros({2 * kHeight, 2 * kWidth, 3}, at::kByte));
      const auto truth = folder_ / "kitti" / drive() / "proj_depth/groundtruth/image_02";
      std::filesystem::create_directories(truth);
      write_depth_png(truth / (name_of(frame) + ".png"),
                      at::full({2 * kHeight, 2 * kWidth}, kDepth));
    }
    write("test.txt", drive() + " 0 l\n" + drive() + " 1 l\n");
    write("a.yaml",
          "data:\n  root: kitti\n  test_split: test.txt\n  height: 32\n  width: 48\n"
          "evaluation:\n  protocol: eigen_benchmark\n");
  }

  static std::string drive() { return "2011_09_26/2011_09_26_drive_0001_sync"; }
  static std::string name_of(int frame) { return "000000000" + std::to_string(frame); }
  AppRun run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--config", "a.yaml"});
    return run_app_program("supn_eval", arguments);
  }
  void write_map(const std::string& name, const at::Tensor& map) const {
    for (const int frame : {0, 1}) {
      const auto folder = folder_ / "theirs" / drive() / "image_02" / name_of(frame);
      std::filesystem::create_directories(folder);
      write_npy(folder / name, map);
    }
  }
  Json row() const {
    const Json table = parse_json(read_file(folder_ / "out/table.json", 1 << 20));
    return table.at("rows").at(0);
  }
  double score(const std::string& key) const {
    return row().at("scores").at(key).at("mean").get<double>();
  }
  double abs_rel(const std::vector<std::string>& settings = {}) const {
    std::vector<std::string> arguments{"--external", "theirs/", "--out", "out"};
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    const AppRun result = run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(row().at("name"), "theirs");
    return score("abs_rel");
  }
};

TEST_F(SupnEvalExternal, ScoresDisparityDepthSamplesAndUncertainty) {
  write_map("disparity.npy", at::full({1, 8, 12}, 0.5F));
  EXPECT_NEAR(abs_rel(), 5.4 / 0.5 / kDepth - 1, 1e-6);
  EXPECT_NEAR(abs_rel({"--set", "evaluation.scale=median"}), 0.0, 1e-6);

  write_map("samples.npy", at::tensor({0.5, 0.54}).view({2, 1, 1}).expand({2, 8, 12}).contiguous());
  write_map("uncertainty.npy", at::full({4, 6}, 1.0F));
  EXPECT_NEAR(abs_rel(), 0.08, 1e-6);
  EXPECT_NEAR(score("abs_rel_best"), 0.0, 1e-6);
  EXPECT_NEAR(score("aurg_abs_rel"), 0.01 * 0.08, 1e-9);  // constant: a hundredth

  std::filesystem::remove_all(folder_ / "theirs");
  write_map("depth.npy", at::full({8, 12}, 11.0));
  EXPECT_NEAR(abs_rel(), 0.1, 1e-6);
}

TEST_F(SupnEvalExternal, ScoresPngFilesOfDisparityInPixels) {
  std::filesystem::create_directories(folder_ / "theirs/raw/disp");
  std::filesystem::create_directories(folder_ / "theirs/raw/uncert");
  const double pixels = std::round(256 * 0.58 * 2 * kWidth * 0.1 / 8.0) / 256;
  for (const char* name : {"000000_10.png", "000001_10.png"}) {
    write_depth_png(folder_ / "theirs/raw/disp" / name, at::full({8, 12}, pixels));
    write_depth_png(folder_ / "theirs/raw/uncert" / name, at::full({8, 12}, 3.0));
  }
  const double depth = 0.58 * 2 * kWidth * 0.1 / pixels;
  EXPECT_NEAR(abs_rel(), 1 - depth / kDepth, 1e-6);
  EXPECT_NEAR(score("aurg_abs_rel"), 0.01 * (1 - depth / kDepth), 1e-9);
}

TEST_F(SupnEvalExternal, TakesTheBaselineThatItIsGiven) {
  std::filesystem::create_directories(folder_ / "theirs/raw/disp");
  const double pixels = std::round(256 * 0.58 * 2 * kWidth * 0.54 / kDepth) / 256;
  for (const char* name : {"000000_10.png", "000001_10.png"}) {
    write_depth_png(folder_ / "theirs/raw/disp" / name, at::full({8, 12}, pixels));
  }
  EXPECT_NEAR(abs_rel(), 1 - 0.1 / 0.54, 1e-3);
  EXPECT_THAT(read_file(folder_ / "out/table.txt", 1 << 20),
              testing::HasSubstr("! theirs: the true depths are 5.4"));

  EXPECT_NEAR(abs_rel({"--external-baseline", "0.54"}), 0.0, 1e-3);
  EXPECT_THAT(read_file(folder_ / "out/table.txt", 1 << 20), testing::Not(testing::HasSubstr("!")));

  expect_user_error(run({"--ensemble", "--external-baseline", "0.54"}), "--external");
}

// Depth in millimetres, and disparities under the name of depth.
TEST_F(SupnEvalExternal, WarnsOfOtherUnits) {
  const auto warning = [&](double value) {
    write_map("depth.npy", at::full({8, 12}, value));
    abs_rel();
    return read_file(folder_ / "out/table.txt", 1 << 20);
  };
  EXPECT_THAT(warning(1000 * kDepth), testing::HasSubstr("are 0.001 times those predicted"));
  EXPECT_THAT(warning(0.5), testing::HasSubstr("are 20 times those predicted"));
  EXPECT_THAT(warning(1.5 * kDepth), testing::Not(testing::HasSubstr("!")));
}

TEST_F(SupnEvalExternal, ReadsStacksOfTheWholeSplitAndIntegers) {
  at::Tensor depth = at::full({2, 8, 12}, 10, at::kInt);
  depth[1].fill_(11);
  std::filesystem::create_directories(folder_ / "theirs");
  write_npy(folder_ / "theirs/depth.npy", depth);
  EXPECT_NEAR(abs_rel(), 0.05, 1e-6);
  write_npy(folder_ / "theirs/depth.npy", depth.unsqueeze(1));
  EXPECT_NEAR(abs_rel(), 0.05, 1e-6);

  write_npy(folder_ / "all.npy", at::full({2, 1, 8, 12}, 0.5));
  ASSERT_EQ(run({"--external", "all.npy", "--out", "out"}).code, 0);
  EXPECT_NEAR(score("abs_rel"), 5.4 / 0.5 / kDepth - 1, 1e-6);

  write_npy(folder_ / "theirs/depth.npy", depth.narrow(0, 0, 1));
  expect_user_error(run({"--external", "theirs"}), "holds 1 maps, and the split lists 2 images");
  std::filesystem::remove_all(folder_ / "theirs");
  write_map("disparity.npy", at::full({1, 1, 8, 12}, 0.54F));
  EXPECT_NEAR(abs_rel(), 0.0, 1e-6);
}

TEST_F(SupnEvalExternal, NeedsNoImagesAndSaysWhichColumnsStayEmpty) {
  std::filesystem::remove_all(folder_ / "kitti" / drive() / "image_02");
  write_map("disparity.npy", at::full({8, 12}, 0.54F));

  EXPECT_NEAR(abs_rel(), 0.0, 1e-6);

  const std::string table = read_file(folder_ / "out/table.txt", 1 << 20);
  EXPECT_THAT(table, testing::HasSubstr("theirs: maps of another program: accuracy; no samples"));
  EXPECT_THAT(table, testing::Not(testing::HasSubstr("std of 10 samples")));
}

TEST_F(SupnEvalExternal, WarnsOfMapsThatLookCropped) {
  const auto log = [&](std::int64_t height, std::int64_t width) {
    write_map("disparity.npy", at::full({height, width}, 0.54F));
    return run({"--external", "theirs", "--log-level", "warn"}).err;
  };
  EXPECT_THAT(log(2 * kHeight - 4, 2 * kWidth - 6), testing::HasSubstr("if it was cropped"));
  EXPECT_THAT(log(2 * kHeight, 2 * kWidth), testing::Not(testing::HasSubstr("cropped")));
  EXPECT_THAT(log(8, 12), testing::Not(testing::HasSubstr("cropped")));
}

TEST_F(SupnEvalExternal, NamesWhatIsWrongWithTheMaps) {
  const auto fault = [&](const std::string& part) {
    expect_user_error(run({"--external", "theirs"}), part);
  };
  fault("0000000000: has neither disparity.npy nor depth.npy");
  write_map("disparity.npy", at::full({8, 12}, -1.0));
  fault("disparity.npy: has a negative disparity");
  write_map("disparity.npy", at::full({8, 12}, std::numeric_limits<double>::quiet_NaN()));
  fault("not finite");
  write_map("disparity.npy", at::full({2, 8, 12}, 1.0));
  fault("expected one map [h,w], got [2, 8, 12]");
  write_map("disparity.npy", at::zeros({8, 12}, at::kBool));
  fault("expected maps of numbers");
  write_map("disparity.npy", at::full({8, 12}, 1.0));
  write_map("depth.npy", at::zeros({8, 12}, at::kFloat));
  fault("holds both");
  std::filesystem::create_directories(folder_ / "theirs/raw/disp");
  fault("000000_10.png");
}

}  // namespace
}  // namespace supn
