#include "opencv_bridge.hpp"

#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {

cv::Mat decode(const std::filesystem::path& path, const ImageFile& file, int flags) {
  const std::vector<uchar> bytes(file.bytes.begin(), file.bytes.end());
  cv::Mat image;
  try {
    image = cv::imdecode(bytes, flags);
  } catch (const cv::Exception&) {
    image.release();
  }
  if (image.empty()) {
    throw IoError(path, "the image is damaged; copy or download it again, or leave it out");
  }
  return image;
}

std::string png_bytes(const cv::Mat& image) {
  std::vector<uchar> bytes;
  cv::imencode(".png", image, bytes);
  return {bytes.begin(), bytes.end()};
}

void encode_png(const std::filesystem::path& path, const cv::Mat& image) {
  write_file_atomically(path, png_bytes(image));
}

}  // namespace supn
