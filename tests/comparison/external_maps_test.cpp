#include "supn/comparison/external_maps.hpp"

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "data/small_set.hpp"
#include "message_of.hpp"
#include "supn/comparison/external_row.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using testing::HasSubstr;

constexpr ImageSize kTruth{9, 20};

class ExternalMapsTest : public SmallSet {
 protected:
  ExternalMaps maps() const { return {folder_ / "theirs", kFrames, kNominalBaseline}; }
  PredictedMaps read(std::int64_t i) const {
    return maps().read({frames_[static_cast<std::size_t>(i)], i}, kTruth, {});
  }
  void write_beside_frame(std::int64_t i, const std::string& name, const at::Tensor& map) const {
    write_maps(folder_ / "theirs" / frames_[static_cast<std::size_t>(i)].id() / name, map);
  }
};

TEST_F(ExternalMapsTest, TurnMetresIntoTheDisparityOfTheScale) {
  write_beside_frame(0, "depth.npy", at::full({4, 5}, 10.0));
  EXPECT_TRUE(read(0).disparity.allclose(at::full({4, 5}, 0.54, at::kDouble)));
  EXPECT_FALSE(read(0).samples.defined());
  write_beside_frame(0, "samples.npy", at::full({3, 1, 4, 5}, 20.0));
  EXPECT_TRUE(read(0).samples.allclose(at::full({3, 4, 5}, 0.27, at::kDouble)));
}

TEST_F(ExternalMapsTest, ReadOneStackInTheOrderOfTheSplit) {
  at::Tensor stack = at::zeros({kFrames, 4, 5}, at::kFloat);
  for (std::int64_t i = 0; i < kFrames; ++i) stack[i].fill_(static_cast<double>(i + 1));
  write_maps(folder_ / "theirs/disparity.npy", stack);
  EXPECT_EQ(read(3).disparity.max().item<double>(), 4.0);
  EXPECT_THAT(message_of<IoError>([&] { ExternalMaps(folder_ / "theirs", 4, 0.1); }),
              HasSubstr("holds 5 maps, and the split lists 4 images"));
  write_maps(folder_ / "theirs/samples.npy", stack);
  EXPECT_THAT(message_of<IoError>([&] { read(3); }), HasSubstr("where no samples are read"));
}

TEST_F(ExternalMapsTest, ReadPngFilesByPosition) {
  const auto folder = folder_ / "theirs/raw/disp";
  std::filesystem::create_directories(folder);
  write_depth_png(folder / "000002_10.png", at::full({4, 5}, 2.0));
  // 2 pixels of a focal length of 0.58 · 20 and a baseline of 0.1 are 0.58 metres: 5.4/0.58.
  EXPECT_TRUE(read(2).disparity.allclose(at::full({4, 5}, 5.4 / 0.58, at::kDouble), 1e-6));
}

TEST_F(ExternalMapsTest, RefuseWhatIsNoDepth) {
  const auto refusal = [&] { return message_of<IoError>([&] { read(0); }); };
  EXPECT_THAT(refusal(), HasSubstr("neither disparity.npy nor depth.npy"));
  write_beside_frame(0, "disparity.npy", at::full({4, 5}, -1.0));
  EXPECT_THAT(refusal(), HasSubstr("has a negative disparity"));
  write_beside_frame(0, "disparity.npy", at::full({2, 4, 5}, 1.0));
  EXPECT_THAT(refusal(), HasSubstr("expected one map [h,w], got [2, 4, 5]"));
  write_beside_frame(0, "depth.npy", at::full({4, 5}, 1.0));
  EXPECT_THAT(refusal(), HasSubstr("holds both depth.npy and disparity.npy"));
}

TEST_F(ExternalMapsTest, WarnOnceOfMapsThatLookCropped) {
  ExternalRow row(folder_ / "theirs", kFrames, kNominalBaseline);
  std::vector<std::string> warnings;
  const GroundTruth truth = ground_truth(stored_depth(0), AccuracyProtocol::kEigenBenchmark);
  for (const std::int64_t i : {0, 3}) {
    write_beside_frame(i, "disparity.npy", at::full({8, 20}, 1.0));
    row.score({frames_[static_cast<std::size_t>(i)], i}, truth, {}, [&](const std::string& text) {
      warnings.push_back(text);
    });
  }
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_THAT(warnings[0], HasSubstr("has 20x8 pixels, its ground truth 20x9"));
  EXPECT_THAT(row.facts(), HasSubstr("no samples, so no best of samples; no uncertainty"));
}

TEST_F(ExternalMapsTest, RefuseSamplesOfSomeImagesAlone) {
  ExternalRow row(folder_ / "theirs", kFrames, kNominalBaseline);
  const GroundTruth truth = ground_truth(stored_depth(0), AccuracyProtocol::kEigenBenchmark);
  const auto score = [&](std::int64_t i) {
    row.score(
        {frames_[static_cast<std::size_t>(i)], i}, truth, {}, [](const std::string& /*text*/) {});
  };
  for (const std::int64_t i : {0, 3}) write_beside_frame(i, "depth.npy", at::full({4, 5}, 10.0));
  write_beside_frame(0, "samples.npy", at::full({3, 4, 5}, 10.0));
  score(0);
  EXPECT_THAT(message_of<ConfigError>([&] { score(3); }),
              HasSubstr("has 0 samples and no uncertainty, unlike the images before it"));
}

}  // namespace
}  // namespace supn
