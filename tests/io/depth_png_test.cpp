#include "supn/io/depth_png.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <limits>
#include <opencv2/imgcodecs.hpp>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

using DepthPng = TemporaryFolder;

TEST_F(DepthPng, ReadsMetresTimes256) {
  cv::Mat stored(2, 3, CV_16UC1, cv::Scalar(0));
  stored.at<std::uint16_t>(0, 1) = 256 * 7 + 64;
  stored.at<std::uint16_t>(1, 2) = 65535;
  cv::imwrite((folder_ / "a.png").string(), stored);

  const at::Tensor metres = read_depth_png(folder_ / "a.png");

  EXPECT_TRUE(
      at::equal(metres, at::tensor({0.0F, 7.25F, 0.0F, 0.0F, 0.0F, 65535.0F / 256}).view({2, 3})));
}

TEST_F(DepthPng, RoundsClipsAndKeepsNoMeasurement) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  write_depth_png(
      folder_ / "a.png",
      at::tensor({10.0F, 10.003F, 300.0F, infinite, 1e-5F, 0.0F, -3.0F, nan}).view({2, 4}));

  const at::Tensor metres = read_depth_png(folder_ / "a.png");

  const float largest = 65535.0F / 256;
  EXPECT_TRUE(
      at::equal(metres,
                at::tensor({10.0F, 10.00390625F, largest, largest, 1.0F / 256, 0.0F, 0.0F, 0.0F})
                    .view({2, 4})))
      << metres;
}

TEST_F(DepthPng, RefusesOtherPicturesByTheirHeaders) {
  write_png(folder_ / "colour.png", at::zeros({2, 3, 3}, at::kByte));
  write_png(folder_ / "grey.png", at::zeros({2, 3}, at::kByte));
  cv::imwrite((folder_ / "wide.png").string(), cv::Mat(2, 3, CV_16UC3, cv::Scalar(9, 9, 9)));
  cv::imwrite((folder_ / "grey.jpg").string(), cv::Mat(2, 3, CV_8UC1, cv::Scalar(9)));
  const std::vector<std::pair<const char*, const char*>> found = {
      {"colour.png", "found a PNG of 8 bits and 3 channel(s)"},
      {"grey.png", "found a PNG of 8 bits and 1 channel(s)"},
      {"wide.png", "found a PNG of 16 bits and 3 channel(s)"},
      {"grey.jpg", "found a JPEG of 8 bits and 1 channel(s)"}};
  for (const auto& [name, fault] : found) {
    const std::string whole = message_of<IoError>([&] { read_depth_png(folder_ / name); });
    EXPECT_THAT(whole, HasSubstr(fault));
    EXPECT_EQ(message_of<IoError>([&] { read_depth_size(folder_ / name); }), whole);
  }
  EXPECT_THROW(read_depth_png(folder_ / "missing.png"), IoError);
  EXPECT_THROW(write_depth_png(folder_ / "a.png", at::zeros({1, 2, 3})), c10::Error);
}

}  // namespace
}  // namespace supn
