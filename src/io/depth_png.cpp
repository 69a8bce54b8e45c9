#include "supn/io/depth_png.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "image_file.hpp"
#include "opencv_bridge.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

constexpr float kUnitsPerMetre = 256.0F;

std::uint16_t stored_depth(float metres) {
  if (!(metres > 0.0F)) return 0;
  return static_cast<std::uint16_t>(
      std::clamp(std::nearbyint(metres * kUnitsPerMetre), 1.0F, 65535.0F));
}

// The file, if its header says that it is a depth map.
ImageFile read_depth_file(const std::filesystem::path& path) {
  ImageFile file = read_image_file(path);
  if (file.format == ImageFormat::kPng && file.bits == 16 && file.channels == 1) return file;
  throw IoError(path,
                std::string("expected depth as a 16-bit grey PNG (256 x metres), found a ") +
                    (file.format == ImageFormat::kPng ? "PNG" : "JPEG") + " of " +
                    std::to_string(file.bits) + " bits and " + std::to_string(file.channels) +
                    " channel(s); name the folder of the depth maps");
}

}  // namespace

ImageSize read_depth_size(const std::filesystem::path& path) { return read_depth_file(path).size; }

at::Tensor read_depth_png(const std::filesystem::path& path) {
  const cv::Mat stored = decode(path, read_depth_file(path), cv::IMREAD_UNCHANGED);
  TORCH_CHECK(stored.type() == CV_16UC1, "read_depth_png: ", path, " was decoded as another type");
  at::Tensor metres = at::empty({stored.rows, stored.cols}, at::kFloat);
  float* out = metres.mutable_data_ptr<float>();
  for (int row = 0; row < stored.rows; ++row) {
    const auto* values = stored.ptr<std::uint16_t>(row);
    out = std::transform(values, values + stored.cols, out, [](std::uint16_t value) {
      return static_cast<float>(value) / kUnitsPerMetre;
    });
  }
  return metres;
}

void write_depth_png(const std::filesystem::path& path, const at::Tensor& metres) {
  TORCH_CHECK(metres.dim() == 2 && metres.is_floating_point() && metres.numel() > 0,
              "write_depth_png: expected floating-point [H,W], got ",
              metres.scalar_type(),
              " ",
              metres.sizes());
  const at::Tensor packed = metres.detach().cpu().to(at::kFloat).contiguous();
  cv::Mat stored(static_cast<int>(packed.size(0)), static_cast<int>(packed.size(1)), CV_16UC1);
  const float* values = packed.const_data_ptr<float>();
  std::transform(values, values + packed.numel(), stored.ptr<std::uint16_t>(), stored_depth);
  encode_png(path, stored);
}

}  // namespace supn
