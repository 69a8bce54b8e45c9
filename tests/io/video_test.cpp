#include "supn/io/video.hpp"

#include <ATen/ops/full.h>
#include <gmock/gmock.h>

#include <opencv2/videoio.hpp>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

class Video : public TemporaryFolder {
 protected:
  // A picture of one colour: red `level`.
  static at::Tensor picture(std::int64_t level) {
    at::Tensor rgb = at::full({32, 48, 3}, 10, at::kByte);
    rgb.select(2, 0).fill_(level);
    return rgb;
  }
  std::size_t count_files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }
};

TEST_F(Video, HoldsItsPicturesInOrder) {
  VideoFile video(folder_ / "film.avi", {32, 48}, 5.0);
  for (const std::int64_t level : {40, 120, 200}) video.add(picture(level));
  video.commit();

  cv::VideoCapture reader((folder_ / "film.avi").string(), cv::CAP_OPENCV_MJPEG);
  ASSERT_TRUE(reader.isOpened());
  EXPECT_NEAR(reader.get(cv::CAP_PROP_FPS), 5.0, 1e-3);
  for (const int level : {40, 120, 200}) {
    cv::Mat bgr;
    ASSERT_TRUE(reader.read(bgr));
    ASSERT_EQ(bgr.size(), cv::Size(48, 32));
    EXPECT_NEAR(bgr.at<cv::Vec3b>(16, 24)[2], level, 6);
    EXPECT_NEAR(bgr.at<cv::Vec3b>(16, 24)[0], 10, 6);
  }
  EXPECT_EQ(count_files(), 1U);
}

TEST_F(Video, LeavesNothingWithoutCommit) {
  {
    VideoFile video(folder_ / "film.avi", {32, 48}, 5.0);
    video.add(picture(0));
  }
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(Video, RejectsWhatItCannotWrite) {
  EXPECT_THAT(message_of<ConfigError>([&] {
                VideoFile(folder_ / "a.mp4", {2, 2}, 5.0);
              }),
              HasSubstr("written as .avi"));
  put(folder_ / "file", "x");
  EXPECT_THAT(message_of<IoError>([&] {
                VideoFile(folder_ / "file/a.avi", {32, 48}, 5.0);
              }),
              HasSubstr("file: cannot be written (Not a directory)"));
  VideoFile video(folder_ / "b.avi", {32, 48}, 5.0);
  EXPECT_THROW(video.add(at::full({32, 40, 3}, 0, at::kByte)), c10::Error);
  EXPECT_THROW(video.commit(), c10::Error);
}

}  // namespace
}  // namespace supn
