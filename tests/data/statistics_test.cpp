#include "supn/data/statistics.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/std.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/small_set.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

class Statistics : public SmallSet {
 protected:
  SplitStatistics statistics(std::int64_t threads = 1) {
    return split_statistics(config_, Split::kTrain, threads, [this] { ++seen_; });
  }
  int seen_ = 0;
};

TEST_F(Statistics, AreThoseOfTheMaps) {
  // Members 0, 1, 5 everywhere: mean 2, unbiased std √7.
  at::Tensor maps = at::zeros({kMembers, kHeight, kWidth});
  maps[1].fill_(1.0);
  maps[2].fill_(5.0);
  for (std::int64_t i = 0; i < kFrames; ++i) write_maps(maps_file(i), maps);

  const SplitStatistics found = statistics();

  EXPECT_EQ(found.frames, kFrames);
  EXPECT_EQ(found.members, 3);
  EXPECT_NEAR(found.mean_logit, 2.0, 1e-12);
  EXPECT_NEAR(found.spread_median, std::sqrt(7.0), 1e-12);
  EXPECT_NEAR(found.spread_low, std::sqrt(7.0), 1e-12);
  EXPECT_EQ(seen_, kFrames);
}

TEST_F(Statistics, TakeQuantilesOverThePixels) {
  // The std over members is the pixel's number, 0 … 127, for members −x, 0, x.
  const at::Tensor ramp = at::arange(kHeight * kWidth).to(at::kFloat).view({kHeight, kWidth});
  at::Tensor maps = at::zeros({kMembers, kHeight, kWidth});
  maps[0] = -ramp;
  maps[2] = ramp;
  for (std::int64_t i = 0; i < kFrames; ++i) write_maps(maps_file(i), maps);

  const SplitStatistics found = statistics(3);

  EXPECT_NEAR(found.spread_low, 6.0, 1.0);
  EXPECT_NEAR(found.spread_median, 63.5, 1.0);
  EXPECT_NEAR(found.spread_high, 121.0, 1.0);
}

TEST_F(Statistics, CountKnownDepthsInBins) {
  at::Tensor depth = at::zeros({9, 20});
  depth[0].fill_(1.0);  // a bin's upper end belongs to it
  depth[1].fill_(1.5);
  depth[2].fill_(200.0);
  write_depth(0, "stereo_depth", depth);
  write_depth(3, "stereo_depth", depth);

  const SplitStatistics found = statistics();

  EXPECT_EQ(found.depth_maps, 2);
  EXPECT_EQ(found.depth_counts.front(), 40);
  EXPECT_EQ(found.depth_counts[1], 40);
  EXPECT_EQ(found.depth_counts.back(), 40);
  EXPECT_EQ(std::accumulate(found.depth_counts.begin(), found.depth_counts.end(), std::int64_t{0}),
            120);
}

TEST_F(Statistics, RefuseGroundTruthOfAnotherSizeThanItsImage) {
  write_depth(3, "stereo_depth", at::ones({8, 18}));
  EXPECT_THAT(message_of<IoError>([&] { statistics(); }), ::testing::HasSubstr("found 18x8"));
}

TEST_F(Statistics, SumTheFilesOnTheDisk) {
  write_maps(maps_file(1, 1), at::zeros({kMembers, kHeight / 2, kWidth / 2}));
  std::uintmax_t images = 0;
  std::uintmax_t maps = std::filesystem::file_size(maps_file(1, 1));
  for (std::int64_t i = 0; i < kFrames; ++i) {
    images += std::filesystem::file_size(image_file(i));
    maps += std::filesystem::file_size(maps_file(i));
  }

  const SplitStatistics found = statistics();

  EXPECT_EQ(found.image_bytes, images);
  EXPECT_EQ(found.sample_bytes, maps);
  EXPECT_GT(found.depth_bytes, 0U);
  config_.samples.clear();
  EXPECT_EQ(statistics().members, 0);
}

TEST_F(Statistics, NameTheFileThatIsMissing) {
  std::filesystem::remove(maps_file(2));
  for (const std::int64_t threads : {1, 4}) {
    EXPECT_NE(message_of<IoError>([&] { statistics(threads); }).find(maps_file(2).string()),
              std::string::npos);
  }
}

}  // namespace
}  // namespace supn
