#include "supn/data/check.hpp"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include <limits>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "data/small_set.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CheckSplit : public SmallSet {
 protected:
  CheckReport check(const ExampleContents& contents,
                    CheckDepth depth = CheckDepth::kValues,
                    std::int64_t threads = 1) {
    return check_split(config_, Split::kTrain, {contents, depth, threads}, [this] { ++seen_; });
  }
  // 20 columns and 9 rows as stored, to be turned clockwise by a quarter; in place of the PNG.
  void write_turned_jpeg(std::int64_t frame) const {
    const auto file = std::filesystem::path(image_file(frame)).replace_extension(".jpg");
    cv::imwrite(file.string(), cv::Mat(9, 20, CV_8UC3, cv::Scalar(20, 40, 60)));
    const std::string exif(
        "\xff\xe1\x00\x22"
        "Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0",
        36);
    const std::string plain = bytes_of(file);
    put(file, plain.substr(0, 2) + exif + plain.substr(2));
    std::filesystem::remove(image_file(frame));
  }
  int seen_ = 0;
};

TEST_F(CheckSplit, CountsWhatIsSound) {
  write_maps(maps_file(1, 1), at::ones({kMembers, kHeight / 2, kWidth / 2}));
  write_maps(log_scale_path(config_.samples, frames_[0]), stored_maps(0));

  const CheckReport report =
      check({.scales = 2, .depth = Presence::kIfPresent, .log_scale = Presence::kIfPresent});

  EXPECT_TRUE(report.faults.empty());
  EXPECT_EQ(report.frames, 5);
  EXPECT_EQ(report.images, 5);
  EXPECT_EQ(report.depth_maps, 2);
  EXPECT_EQ(report.sample_files, 7);
  EXPECT_EQ(seen_, 5);
}

TEST_F(CheckSplit, NamesEveryFaultWithARemedy) {
  std::filesystem::remove(image_file(0));
  put(image_file(1), bytes_of(image_file(1)).substr(0, 50));
  write_maps(maps_file(1), stored_maps(1).narrow(0, 0, 2));
  at::Tensor maps = stored_maps(2);
  maps[0][0][0] = std::numeric_limits<float>::quiet_NaN();
  write_maps(maps_file(2), maps);
  write_depth(3, "stereo_depth", at::ones({4, 5}));
  std::filesystem::remove(maps_file(4));

  const CheckReport report = check({.scales = 1, .depth = Presence::kIfPresent});

  ASSERT_EQ(report.faults.size(), 6U);
  const std::vector<std::string> messages = {"there is no such image",
                                             "cut off",
                                             "[2, 8, 16]",
                                             "1 of 384",
                                             "found 5x4",
                                             "no members' maps"};
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_THAT(report.faults[i].message,
                AllOf(HasSubstr(messages[i]), Not(HasSubstr(folder_.string()))))
        << i;
    EXPECT_THAT(report.faults[i].remedy, Not(::testing::IsEmpty())) << i;
  }
  EXPECT_EQ(report.faults[0].path.filename(), "0000000000.jpg");
  EXPECT_EQ(report.faults[1].path, image_file(1));
  EXPECT_EQ(report.faults[3].path, maps_file(2));
  EXPECT_EQ(report.images, 3);
  EXPECT_EQ(report.sample_files, 2);
  EXPECT_EQ(seen_, 5);
}

TEST_F(CheckSplit, GivesTheSameReportForAnyNumberOfThreads) {
  std::filesystem::remove(image_file(0));
  std::filesystem::remove(maps_file(2));
  put(image_file(4), "rubbish");
  const CheckReport one = check({.scales = 1, .depth = Presence::kIfPresent});
  const CheckReport four =
      check({.scales = 1, .depth = Presence::kIfPresent}, CheckDepth::kValues, 4);

  ASSERT_EQ(one.faults.size(), 3U);
  ASSERT_EQ(four.faults.size(), 3U);
  for (std::size_t i = 0; i < one.faults.size(); ++i) {
    EXPECT_EQ(four.faults[i].path, one.faults[i].path);
    EXPECT_EQ(four.faults[i].message, one.faults[i].message);
  }
  EXPECT_EQ(four.images, one.images);
  EXPECT_EQ(seen_, 10);
}

TEST_F(CheckSplit, ByHeadersFindsAllButBadValues) {
  put(image_file(1), bytes_of(image_file(1)).substr(0, 50));
  write_maps(maps_file(1), stored_maps(1).narrow(0, 0, 2));
  at::Tensor maps = stored_maps(2);
  maps[0][0][0] = std::numeric_limits<float>::quiet_NaN();
  write_maps(maps_file(2), maps);
  write_depth(3, "stereo_depth", at::ones({4, 5}));
  put(maps_file(4), bytes_of(maps_file(4)).substr(0, 300));

  const CheckReport report =
      check({.scales = 1, .depth = Presence::kIfPresent}, CheckDepth::kHeaders);

  ASSERT_EQ(report.faults.size(), 4U);
  EXPECT_EQ(report.faults[0].path, image_file(1));
  EXPECT_THAT(report.faults[1].message, HasSubstr("[2, 8, 16]"));
  EXPECT_THAT(report.faults[2].message, HasSubstr("found 5x4"));
  EXPECT_EQ(report.faults[3].path, maps_file(4));
  EXPECT_EQ(report.sample_files, 3);
}

// What headers can judge is judged alike, whether or not the values are read.
TEST_F(CheckSplit, ByHeadersAgreesWithTheFullCheckOnTruths) {
  const auto truth = config_.root / kDrive / "stereo_depth/image_02" / (digits(3) + ".png");
  const auto faults = [&](CheckDepth depth) {
    std::string text;
    for (const DataFault& fault : check({.depth = Presence::kIfPresent}, depth).faults) {
      text += fault.path.string() + " " + fault.message + "\n";
    }
    return text;
  };
  const auto expect_both = [&](const std::string& fault) {
    EXPECT_THAT(faults(CheckDepth::kValues), HasSubstr(fault));
    EXPECT_EQ(faults(CheckDepth::kHeaders), faults(CheckDepth::kValues));
  };
  write_image(truth, stored_image(0));
  expect_both("found a PNG of 8 bits and 3 channel(s)");
  write_image(truth, stored_image(0).select(2, 0));
  expect_both("found a PNG of 8 bits and 1 channel(s)");

  // The image lies on its side, and EXIF says so.
  write_depth(3, "stereo_depth", at::ones({9, 20}));
  write_turned_jpeg(3);
  expect_both("expected the image's size, 9x20, found 20x9");
  write_depth(3, "stereo_depth", at::ones({20, 9}));
  EXPECT_EQ(faults(CheckDepth::kHeaders) + faults(CheckDepth::kValues), "");
}

TEST_F(CheckSplit, NamesMembersThatAreTheSame) {
  at::Tensor maps = stored_maps(2);
  maps[2].copy_(maps[0]);
  write_maps(maps_file(2), maps);

  const CheckReport report = check({.scales = 1});

  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_EQ(report.faults[0].path, maps_file(2));
  EXPECT_THAT(report.faults[0].message, HasSubstr("same map for members 0 and 2"));
}

TEST_F(CheckSplit, EndsWithWhatItsListenerThrows) {
  EXPECT_THROW(
      check_split(config_, Split::kTrain, {}, [] { throw std::runtime_error("interrupted"); }),
      std::runtime_error);
}

TEST_F(CheckSplit, ReportsMissingDepthOnlyWhereRequired) {
  EXPECT_EQ(check({.depth = Presence::kRequired}).faults.size(), 3U);
  EXPECT_EQ(check({.depth = Presence::kIfPresent}).faults.size(), 0U);
}

TEST_F(CheckSplit, ThrowsWhereThereIsNoSplit) {
  config_.train_split.clear();
  EXPECT_THROW(check({}), ConfigError);
  config_.train_split = folder_ / "missing.txt";
  EXPECT_THROW(check({}), IoError);
}

}  // namespace
}  // namespace supn
