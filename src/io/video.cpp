#include "supn/io/video.hpp"

#include <c10/util/Exception.h>
#include <unistd.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/write_failure.hpp"

namespace supn {
namespace {

std::filesystem::path staging_path(const std::filesystem::path& path) {
  check_video_name(path);
  // The extension tells OpenCV the container.
  return hidden_sibling(path, ".part" + std::to_string(getpid()) + ".avi");
}

std::int64_t frames_in(const std::filesystem::path& path) {
  cv::VideoCapture reader(path.string(), cv::CAP_OPENCV_MJPEG);
  return reader.isOpened() ? static_cast<std::int64_t>(reader.get(cv::CAP_PROP_FRAME_COUNT)) : 0;
}

}  // namespace

void check_video_name(const std::filesystem::path& path) {
  if (path.extension() == ".avi") return;
  throw ConfigError(path.string() + ": films are written as .avi (Motion JPEG); name it so");
}

struct VideoFile::Encoder {
  cv::VideoWriter writer;
};

VideoFile::VideoFile(std::filesystem::path path, const ImageSize& size, double frames_per_second)
    : path_(std::move(path)),
      staging_(staging_path(path_)),
      size_(size),
      encoder_(std::make_unique<Encoder>()) {
  if (path_.has_parent_path()) create_folder(path_.parent_path());
  try {
    encoder_->writer.open(staging_.string(),
                          cv::CAP_OPENCV_MJPEG,
                          cv::VideoWriter::fourcc('M', 'J', 'P', 'G'),
                          frames_per_second,
                          cv::Size(static_cast<int>(size.width), static_cast<int>(size.height)));
  } catch (const cv::Exception&) {
    encoder_->writer.release();
  }
  if (!encoder_->writer.isOpened()) {
    throw IoError(path_, "cannot write a film here; check the folder and its permissions");
  }
}

VideoFile::~VideoFile() {
  if (encoder_ == nullptr) return;
  encoder_->writer.release();
  std::error_code ignored;
  std::filesystem::remove(staging_, ignored);
}

void VideoFile::add(const at::Tensor& rgb) {
  TORCH_CHECK(rgb.scalar_type() == at::kByte &&
                  rgb.sizes() == at::IntArrayRef({size_.height, size_.width, 3}),
              "VideoFile: expected pictures uint8 [",
              size_.height,
              ",",
              size_.width,
              ",3], got ",
              rgb.sizes());
  at::Tensor packed = rgb.cpu().contiguous();
  const cv::Mat picture(static_cast<int>(size_.height),
                        static_cast<int>(size_.width),
                        CV_8UC3,
                        packed.mutable_data_ptr<std::uint8_t>());
  cv::Mat bgr;
  cv::cvtColor(picture, bgr, cv::COLOR_RGB2BGR);
  encoder_->writer.write(bgr);
  ++count_;
}

void VideoFile::commit() {
  TORCH_CHECK(count_ > 0, "VideoFile: a film needs at least one picture");
  encoder_->writer.release();
  const std::int64_t written = frames_in(staging_);
  if (written != count_) {
    throw IoError(path_,
                  "holds " + std::to_string(written) + " of " + std::to_string(count_) +
                      " pictures; is the disk full?");
  }
  std::error_code error;
  std::filesystem::rename(staging_, path_, error);
  if (error) fail_to_write(path_, error);
  encoder_.reset();
}

}  // namespace supn
