// A film shows pictures one after the other: Motion JPEG in an .avi file, which OpenCV writes by
// itself, without codecs from elsewhere.
//
//   VideoFile video("film.avi", {192, 640}, 10.0);
//   for (...) video.add(rgb);
//   video.commit();
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "supn/image_size.hpp"

namespace supn {

// Written aside (a hidden sibling); commit() moves it to its place, without it the destructor
// removes it.
// Throws ConfigError for another extension than .avi: before any work is done for the film.
void check_video_name(const std::filesystem::path& path);

class VideoFile {
 public:
  // Throws ConfigError for another extension than .avi, IoError if the place cannot be written.
  VideoFile(std::filesystem::path path, const ImageSize& size, double frames_per_second);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  // rgb: uint8 [H,W,3] of the film's size, else throws c10::Error.
  void add(const at::Tensor& rgb);
  // Throws IoError if the file does not hold all pictures (a full disk), c10::Error without any.
  void commit();

 private:
  struct Encoder;
  std::filesystem::path path_;
  std::filesystem::path staging_;
  ImageSize size_;
  std::int64_t count_ = 0;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace supn
