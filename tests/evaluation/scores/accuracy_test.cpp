#include "supn/evaluation/scores/accuracy.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluation/scores/fixture.hpp"

namespace supn {
namespace {

using evaluation_test::Fixture;
using evaluation_test::tensor_of;

// Values that no bilinear map of them leaves unchanged by chance.
at::Tensor wavy_maps(std::int64_t s, std::int64_t h, std::int64_t w) {
  return (at::arange(s * h * w, at::kDouble) * 0.7).sin_().add_(2.0).view({s, h, w});
}

GroundTruth everywhere(std::int64_t height, std::int64_t width) {
  return ground_truth(at::ones({height, width}, at::kDouble), AccuracyProtocol::kEigenBenchmark);
}

GroundTruth pixels(const std::vector<double>& depth) {
  return ground_truth(tensor_of(depth).view({1, -1}), AccuracyProtocol::kEigenBenchmark);
}

TEST(Crop, IsTheGargCropTruncated) {
  EXPECT_EQ(crop_of({375, 1242}, AccuracyProtocol::kEigen), (Crop{153, 371, 44, 1197}));
  EXPECT_EQ(crop_of({375, 1242}, AccuracyProtocol::kEigenBenchmark), (Crop{0, 375, 0, 1242}));
}

TEST(GroundTruth, KeepsDepthsOfTheProtocol) {
  at::Tensor depth = at::zeros({375, 1242});
  depth[153][44] = 5.0;    // first pixel of the crop
  depth[370][1196] = 6.0;  // last
  depth[152][44] = 7.0;    // just outside
  depth[371][1196] = 7.0;
  depth[200][43] = 7.0;
  depth[200][1197] = 7.0;
  depth[200][600] = 80.0;  // not below 80
  depth[200][601] = 1e-3F;

  const GroundTruth eigen = ground_truth(depth, AccuracyProtocol::kEigen);
  const GroundTruth benchmark = ground_truth(depth, AccuracyProtocol::kEigenBenchmark);

  // 1e-3 in float32 is above 1e-3 in float64.
  ASSERT_EQ(eigen.count(), 3);
  EXPECT_EQ(eigen.index[0].item<std::int64_t>(), 153 * 1242 + 44);
  EXPECT_EQ(eigen.index[2].item<std::int64_t>(), 370 * 1242 + 1196);
  EXPECT_EQ(eigen.depth[2].item<double>(), 6.0);
  EXPECT_EQ(benchmark.count(), 8);
}

TEST(GroundTruth, OfAnEmptyMapIsEmpty) {
  EXPECT_EQ(ground_truth(at::zeros({20, 30}), AccuracyProtocol::kEigenBenchmark).count(), 0);
}

TEST(AtGroundTruth, EqualsBilinearUpsampling) {
  const at::Tensor maps = wavy_maps(2, 6, 9);
  for (const ImageSize size : {ImageSize{13, 31}, ImageSize{6, 9}, ImageSize{4, 5}}) {
    const at::Tensor expected =
        at::upsample_bilinear2d(maps.unsqueeze(0), {size.height, size.width}, false)
            .view({2, size.height * size.width});

    const at::Tensor values = at_ground_truth(maps, everywhere(size.height, size.width));

    EXPECT_TRUE(values.allclose(expected, 1e-13, 1e-13)) << size.height << "x" << size.width;
  }
}

TEST(ScaledDepth, MedianScaleIsPerMap) {
  const GroundTruth truth = pixels({10.0, 20.0, 40.0, 30.0});
  const at::Tensor disparity = tensor_of({1, 1, 1, 1, .1, .1, .1, .1}).view({2, 1, 4});

  const at::Tensor depth = scaled_depth(disparity, truth, {.mode = DepthScaleMode::kMedian});

  EXPECT_NEAR(depth[0][0].item<double>(), 25.0, 1e-12);
  EXPECT_NEAR(depth[1][3].item<double>(), 25.0, 1e-12);
}

TEST(ScaledDepth, ClipsAfterScaling) {
  const GroundTruth truth = pixels({10.0, 20.0});
  const at::Tensor disparity = tensor_of({0.05, 1e5}).view({1, 1, 2});

  const at::Tensor depth = scaled_depth(disparity, truth, {DepthScaleMode::kFixed, 5.0});

  EXPECT_EQ(depth[0][0].item<double>(), 80.0);
  EXPECT_EQ(depth[0][1].item<double>(), 1e-3);
}

TEST(ScaledDepth, RejectsAnImageWithoutGroundTruth) {
  const GroundTruth none = ground_truth(at::zeros({2, 2}), AccuracyProtocol::kEigenBenchmark);
  EXPECT_THROW(scaled_depth(wavy_maps(1, 2, 2), none, {}), c10::Error);
}

TEST(Accuracy, EqualsNumPysForEveryProtocolAndScale) {
  const Fixture fixture("accuracy.txt");
  const at::Tensor depth = fixture.tensor("depth").view({23, 37});
  const at::Tensor disparity = fixture.tensor("disparity").view({3, 8, 12});
  for (const auto& [name, protocol] : OptionNames<AccuracyProtocol>::values) {
    const GroundTruth truth = ground_truth(depth, protocol);
    ASSERT_EQ(static_cast<double>(truth.count()), fixture.values("count_" + std::string(name))[0]);
    for (const auto& [mode_name, mode] : OptionNames<DepthScaleMode>::values) {
      const std::vector<Accuracy> each = accuracy_of_disparity(disparity, truth, {mode, 5.4});
      ASSERT_EQ(each.size(), 3U);
      for (std::size_t s = 0; s < each.size(); ++s) {
        const std::string key =
            std::string(name) + "_" + std::string(mode_name) + "_" + std::to_string(s);
        const std::vector<double>& expected = fixture.values(key);
        EXPECT_NEAR(each[s].abs_rel, expected[0], 1e-11) << key;
        EXPECT_NEAR(each[s].sq_rel, expected[1], 1e-9) << key;
        EXPECT_NEAR(each[s].rmse, expected[2], 1e-10) << key;
        EXPECT_NEAR(each[s].rmse_log, expected[3], 1e-11) << key;
        EXPECT_NEAR(each[s].a1, expected[4], 1e-12) << key;
        EXPECT_NEAR(each[s].a2, expected[5], 1e-12) << key;
        EXPECT_NEAR(each[s].a3, expected[6], 1e-12) << key;
      }
    }
  }
}

TEST(Accuracy, ThresholdsAreStrict) {
  const GroundTruth truth = pixels({10.0, 10.0});

  const Accuracy result = accuracy(tensor_of({12.5, 12.4}).view({1, 2}), truth).front();

  EXPECT_DOUBLE_EQ(result.a1, 0.5);
  EXPECT_DOUBLE_EQ(result.a2, 1.0);
}

TEST(BestOf, TakesEachMetricByItself) {
  const std::vector<Accuracy> each = {
      {.abs_rel = 0.1, .sq_rel = 2.0, .rmse = 5.0, .rmse_log = 0.3, .a1 = 0.8, .a2 = 0.9, .a3 = 1},
      {.abs_rel = 0.2, .sq_rel = 1.0, .rmse = 4.0, .rmse_log = 0.4, .a1 = 0.9, .a2 = 0.8, .a3 = 1}};

  const Accuracy best = best_of(each);

  EXPECT_EQ(best.abs_rel, 0.1);
  EXPECT_EQ(best.sq_rel, 1.0);
  EXPECT_EQ(best.rmse, 4.0);
  EXPECT_EQ(best.rmse_log, 0.3);
  EXPECT_EQ(best.a1, 0.9);
  EXPECT_EQ(best.a2, 0.9);
}

TEST(BestOf, DoesNotHideASampleThatIsNotFinite) {
  const std::vector<Accuracy> each = {
      {.abs_rel = 0.1}, {.abs_rel = std::numeric_limits<double>::quiet_NaN()}, {.abs_rel = 0.05}};
  EXPECT_TRUE(std::isnan(best_of(each).abs_rel));
}

}  // namespace
}  // namespace supn
