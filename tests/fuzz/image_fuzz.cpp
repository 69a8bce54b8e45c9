// Images and depth maps: JPEG and PNG. Each input also with its PNG checksums mended, which else
// keep nearly all mutants from the decoder.
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <opencv2/imgcodecs.hpp>

#include "fuzz_target.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"

namespace {

std::uint32_t big_endian(std::string_view bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[place + i]);
  }
  return value;
}

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t value = 0xffffffff;
  for (const char c : bytes) {
    value ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~value;
}

std::string with_mended_checksums(std::string png) {
  for (std::size_t place = 8; png.size() - std::min(place, png.size()) >= 12;) {
    const std::size_t length = big_endian(png, place);
    if (length > png.size() - place - 12) break;
    const std::uint32_t sum = checksum(std::string_view(png).substr(place + 4, length + 4));
    for (std::size_t i = 0; i < 4; ++i) {
      png[place + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i) & 0xff);
    }
    place += length + 12;
  }
  return png;
}

void read(const supn::fuzz::MemoryFile& file) {
  supn::fuzz::read_or_refuse([&] {
    const supn::ImageSize size = supn::read_image_size(file.path());
    supn::fuzz::require(size.height * size.width <= supn::kMaxImagePixels, "the size is bounded");
  });
  supn::fuzz::read_or_refuse([&] {
    const at::Tensor rgb = supn::read_rgb(file.path());
    const supn::ImageSize decoded{rgb.size(0), rgb.size(1)};
    supn::fuzz::require(supn::read_image_size(file.path()) == decoded, "the size as decoded");
  });
  supn::fuzz::read_or_refuse([&] {
    const at::Tensor depth = supn::read_depth_png(file.path());
    const supn::ImageSize decoded{depth.size(0), depth.size(1)};
    supn::fuzz::require(supn::read_depth_size(file.path()) == decoded, "the size as decoded");
  });
}

}  // namespace

std::vector<std::string> supn::fuzz::seeds() {
  const at::Tensor rgb = at::arange(4 * 6 * 3).to(at::kByte).view({4, 6, 3});
  const cv::Mat bgr(4, 6, CV_8UC3, rgb.data_ptr());
  std::vector<uchar> jpeg;
  std::vector<uchar> progressive;
  cv::imencode(".jpg", bgr, jpeg);
  cv::imencode(".jpg", bgr, progressive, {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
  return {encoded_png(rgb),
          bytes_written([](const auto& path) {
            write_depth_png(path, at::zeros({3, 5}) + 2.0);
          }),
          {jpeg.begin(), jpeg.end()},
          {progressive.begin(), progressive.end()}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  const std::string bytes(supn::fuzz::text_of(data, size));
  file.write(bytes);
  read(file);
  const std::string mended = with_mended_checksums(bytes);
  if (mended == bytes) return 0;
  file.write(mended);
  read(file);
  return 0;
}
