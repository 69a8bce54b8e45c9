#include "supn/io/image.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "exif.hpp"
#include "image_file.hpp"
#include "opencv_bridge.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

// The picture as its EXIF says that it was taken.
cv::Mat turned(cv::Mat image, int orientation) {
  if (swaps_sides(orientation)) cv::transpose(image, image);
  switch (orientation) {
    case 2:
    case 6:
      cv::flip(image, image, 1);
      break;
    case 3:
    case 7:
      cv::flip(image, image, -1);
      break;
    case 4:
    case 8:
      cv::flip(image, image, 0);
      break;
    default:
      break;
  }
  return image;
}

}  // namespace

at::Tensor read_rgb(const std::filesystem::path& path) {
  const ImageFile file = read_image_file(path);
  // Turned here, and not by the decoder, so that read_image_size cannot disagree.
  const cv::Mat bgr = turned(decode(path, file, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION),
                             file.orientation);
  at::Tensor rgb = at::empty({bgr.rows, bgr.cols, 3}, at::kByte);
  cv::Mat view(bgr.rows, bgr.cols, CV_8UC3, rgb.mutable_data_ptr<std::uint8_t>());
  cv::cvtColor(bgr, view, cv::COLOR_BGR2RGB);
  return rgb;
}

ImageSize read_image_size(const std::filesystem::path& path) {
  const ImageFile file = read_image_file(path);
  if (!swaps_sides(file.orientation)) return file.size;
  return {file.size.width, file.size.height};
}

void write_png(const std::filesystem::path& path, const at::Tensor& image) {
  write_file_atomically(path, encoded_png(image));
}

std::string encoded_png(const at::Tensor& image) {
  const bool grey = image.dim() == 2;
  TORCH_CHECK(image.scalar_type() == at::kByte && image.numel() > 0 &&
                  (grey || (image.dim() == 3 && image.size(2) == 3)),
              "write_png: expected uint8 [H,W] or [H,W,3], got ",
              image.scalar_type(),
              " ",
              image.sizes());
  at::Tensor packed = image.cpu().contiguous();
  const cv::Mat view(static_cast<int>(packed.size(0)),
                     static_cast<int>(packed.size(1)),
                     grey ? CV_8UC1 : CV_8UC3,
                     packed.mutable_data_ptr<std::uint8_t>());
  if (grey) return png_bytes(view);
  cv::Mat bgr;
  cv::cvtColor(view, bgr, cv::COLOR_RGB2BGR);
  return png_bytes(bgr);
}

}  // namespace supn
