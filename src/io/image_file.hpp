// The bytes of an image file are judged by their structure before a decoder sees them: decoders
// hand out half an image without an error, or print to the terminal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "supn/image_size.hpp"

namespace supn {

enum class ImageFormat { kJpeg, kPng };

struct ImageFile {
  std::string bytes;
  ImageFormat format = ImageFormat::kPng;
  ImageSize size;         // as stored
  std::int64_t bits = 8;  // per channel
  std::int64_t channels = 3;
  int orientation = 1;  // exif.hpp
};

// Throws IoError for a file that is missing, no JPEG or PNG, cut off, damaged as far as PNG's
// checksums and JPEG's markers tell, or larger than kMaxImagePixels.
ImageFile read_image_file(const std::filesystem::path& path);

}  // namespace supn
