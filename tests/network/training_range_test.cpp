#include "supn/network/training_range.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

using testing::HasSubstr;

// Independent pixels of one std.
StructuredGaussian gaussian_of(double std) {
  return {at::zeros({1, 1, 24, 32}),
          at::full({1, 1, 24, 32}, -std::log(std)),
          at::zeros({1, 0, 24, 32}),
          Neighbourhood(0)};
}

at::Tensor image_of(double level) { return level + 0.1 * at::rand({3, 24, 32}); }

class TrainingRangeTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    at::manual_seed(1);
    std::vector<ImageFacts> images;
    for (const double level : {0.3, 0.4, 0.5}) {
      images.push_back(image_facts(image_of(level), gaussian_of(0.2)));
    }
    range_ = training_range(images);
  }
  std::string warning(double level, double std) const {
    return range_warning(range_, image_facts(image_of(level), gaussian_of(std)));
  }
  TrainingRange range_;
};

TEST_F(TrainingRangeTest, IsTheQuantileOfTheSamplesStd) {
  // The std of 10 samples varies by 24 %: its 99.9 % quantile is some 1.8 of it.
  EXPECT_GT(range_.largest_spread, 1.5 * 0.2);
  EXPECT_LT(range_.largest_spread, 2.1 * 0.2);
  EXPECT_NEAR(range_.mean[0], 0.45, 0.01);
  EXPECT_LT(range_.largest_deviation, 3.0);
}

TEST_F(TrainingRangeTest, LetsImagesOfTheSameKindPass) {
  EXPECT_EQ(warning(0.35, 0.2), "");
  EXPECT_EQ(warning(0.55, 0.3), "");
}

TEST_F(TrainingRangeTest, WarnsOfAnotherSpreadAndOfAnotherKindOfImage) {
  EXPECT_THAT(warning(0.4, 64.0), HasSubstr("do not trust"));
  const ImageFacts flat = image_facts(at::full({3, 24, 32}, 0.4), gaussian_of(0.2));
  EXPECT_THAT(range_warning(range_, flat), HasSubstr("unlike the images of training"));
  EXPECT_THAT(range_warning(range_, image_facts(at::rand({3, 24, 32}), gaussian_of(0.2))),
              HasSubstr("standard deviations away"));
}

TEST_F(TrainingRangeTest, IsKeptAsJson) {
  std::filesystem::create_directories(folder_);
  EXPECT_FALSE(read_training_range(folder_).has_value());
  write_file_atomically(folder_ / kTrainingRangeFile, to_json(range_));
  const auto read = read_training_range(folder_);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->mean, range_.mean);
  EXPECT_EQ(read->std, range_.std);
  EXPECT_EQ(read->largest_spread, range_.largest_spread);
  EXPECT_EQ(read->largest_deviation, range_.largest_deviation);
  write_file_atomically(folder_ / kTrainingRangeFile, "");
  EXPECT_THAT(message_of<IoError>([&] { read_training_range(folder_); }), HasSubstr("is empty"));
  for (const char* text : {"{}", "{\"mean\": [1]}"}) {
    write_file_atomically(folder_ / kTrainingRangeFile, text);
    EXPECT_THAT(message_of<IoError>([&] { read_training_range(folder_); }), HasSubstr("remove it"));
  }
}

}  // namespace
}  // namespace supn
