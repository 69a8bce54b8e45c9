#include "image_file.hpp"

#include <array>
#include <cstdint>
#include <string_view>

#include "exif.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 29;
constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view kJpegSignature("\xff\xd8\xff", 3);
constexpr std::uint8_t kApplication1 = 0xE1;  // JPEG's segment for EXIF
constexpr std::string_view kExif("Exif\0\0", 6);

// Big-endian numbers at places that are checked against the file's end.
class Bytes {
 public:
  Bytes(const std::filesystem::path& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  std::uint32_t number(std::size_t place, std::size_t count) const {
    if (place + count > bytes_.size()) refuse("is cut off");
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | byte(place + i);
    return value;
  }
  std::string_view text(std::size_t place, std::size_t count) const {
    if (place + count > bytes_.size()) refuse("is cut off");
    return bytes_.substr(place, count);
  }
  std::uint8_t byte(std::size_t place) const { return static_cast<std::uint8_t>(bytes_[place]); }
  std::size_t size() const { return bytes_.size(); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw IoError(path_,
                  "the image " + what + " (" + std::to_string(bytes_.size()) +
                      " bytes); copy or download it again, or leave it out");
  }

 private:
  const std::filesystem::path& path_;
  std::string_view bytes_;
};

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < table.size(); ++n) {
    std::uint32_t value = n;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1U) != 0 ? 0xEDB88320U ^ value >> 1 : value >> 1;
    table[n] = value;
  }
  return table;
}

std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t value = 0xFFFFFFFFU;
  for (const char c : bytes)
    value = kTable[(value ^ static_cast<std::uint8_t>(c)) & 0xFFU] ^ value >> 8;
  return value ^ 0xFFFFFFFFU;
}

// Counts the channels of PNG's colour types; a palette's entries are RGB.
std::int64_t png_channels(std::uint32_t colour_type) {
  switch (colour_type) {
    case 0:
      return 1;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 3;
  }
}

// Bits per channel that a colour type may have: grey, RGB, palette, grey and alpha, RGB and alpha.
bool is_png_pixel(std::uint32_t bits, std::uint32_t colour_type) {
  const bool wide = bits == 8 || bits == 16;
  if (colour_type == 0) return wide || bits == 1 || bits == 2 || bits == 4;
  if (colour_type == 3) return bits == 1 || bits == 2 || bits == 4 || bits == 8;
  return wide && (colour_type == 2 || colour_type == 4 || colour_type == 6);
}

// Refuses what the format forbids of chunks: the decoder would tell the terminal so by itself.
class PngOrder {
 public:
  PngOrder(const Bytes& file, std::uint32_t colour_type)
      : file_(file), lacks_palette_(colour_type == 3) {}

  void add(std::string_view type) {
    if (type == "IDAT") {
      if (pixels_ == Pixels::kComplete || lacks_palette_) refuse();
      pixels_ = Pixels::kBegun;
      return;
    }
    if (pixels_ == Pixels::kBegun) pixels_ = Pixels::kComplete;
    if (type == "PLTE" && pixels_ == Pixels::kNone && !has_palette_) {
      has_palette_ = true;
      lacks_palette_ = false;
    } else if (type == "IEND" ? pixels_ == Pixels::kNone : is_critical(type)) {
      refuse();
    }
  }

 private:
  enum class Pixels { kNone, kBegun, kComplete };

  // The case of its first letter says so; these are the known ones, out of place, and unknown ones.
  static bool is_critical(std::string_view type) { return (type[0] & 0x20) == 0; }
  [[noreturn]] void refuse() const {
    file_.refuse("is damaged: its parts are in disorder, or one is missing");
  }

  const Bytes& file_;
  bool lacks_palette_;
  bool has_palette_ = false;
  Pixels pixels_ = Pixels::kNone;
};

// Walks the chunks: length, type, data, checksum of type and data; IHDR first, IEND last.
void inspect_png(const Bytes& file, ImageFile& image) {
  std::size_t place = kPngSignature.size();
  if (file.number(place, 4) != 13 || file.text(place + 4, 4) != "IHDR") {
    file.refuse("is damaged: it has no header");
  }
  const std::uint32_t colour_type = file.number(place + 17, 1);
  image.size = {file.number(place + 12, 4), file.number(place + 8, 4)};
  image.bits = file.number(place + 16, 1);
  image.channels = png_channels(colour_type);
  const bool known = is_png_pixel(file.number(place + 16, 1), colour_type) &&
                     file.number(place + 18, 2) == 0 && file.number(place + 20, 1) <= 1;
  PngOrder order(file, colour_type);
  for (bool first = true;; first = false) {
    const std::size_t length = file.number(place, 4);
    const std::string_view chunk = file.text(place + 4, length + 4);
    if (crc32(chunk) != file.number(place + 8 + length, 4)) {
      file.refuse("is damaged: a checksum is wrong");
    }
    if (!known) file.refuse("is damaged: it has a kind of pixels that PNG does not know");
    if (!first) order.add(chunk.substr(0, 4));
    if (chunk.starts_with("eXIf")) image.orientation = exif_orientation(chunk.substr(4));
    if (chunk.starts_with("IEND")) return;
    place += length + 12;
  }
}

bool is_restart_marker(std::uint8_t marker) { return marker >= 0xD0 && marker <= 0xD7; }

bool is_frame_header(std::uint8_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// First marker after the compressed data that starts at `place`.
std::size_t end_of_scan(const Bytes& file, std::size_t place) {
  while (place + 1 < file.size()) {
    const std::uint8_t next = file.byte(place + 1);
    if (file.byte(place) == 0xFF && next != 0 && next != 0xFF && !is_restart_marker(next)) {
      return place;
    }
    ++place;
  }
  file.refuse("is cut off");
}

// Walks the segments up to the end marker, which a file that is cut off lacks.
void inspect_jpeg(const Bytes& file, ImageFile& image) {
  std::size_t place = 2;
  while (true) {
    if (file.number(place, 1) != 0xFF) file.refuse("is damaged: a marker is missing");
    const auto marker = static_cast<std::uint8_t>(file.number(place + 1, 1));
    if (marker == 0xFF) {  // a fill byte
      ++place;
      continue;
    }
    if (marker == 0xD9) return;
    place += 2;
    if (marker == 0x01 || is_restart_marker(marker)) continue;
    const std::size_t length = file.number(place, 2);
    if (length < 2) file.refuse("is damaged: a segment has no length");
    const std::string_view segment = file.text(place, length).substr(2);
    if (marker == kApplication1 && segment.starts_with(kExif)) {
      image.orientation = exif_orientation(segment.substr(kExif.size()));
    }
    if (is_frame_header(marker)) {
      // The decoder goes by the first, so that a second could hide its size.
      if (image.size.height > 0) file.refuse("is damaged: it gives its size twice");
      image.size = {file.number(place + 3, 2), file.number(place + 5, 2)};
      image.bits = file.number(place + 2, 1);
      image.channels = file.number(place + 7, 1);
    }
    place += length;
    if (marker == 0xDA) place = end_of_scan(file, place);
  }
}

}  // namespace

ImageFile read_image_file(const std::filesystem::path& path) {
  ImageFile file;
  file.bytes = read_file(path, kMaxFileBytes);
  const std::string_view bytes = file.bytes;
  const Bytes content(path, bytes);
  if (bytes.starts_with(kPngSignature)) {
    file.format = ImageFormat::kPng;
    inspect_png(content, file);
  } else if (bytes.starts_with(kJpegSignature)) {
    file.format = ImageFormat::kJpeg;
    inspect_jpeg(content, file);
  } else {
    throw IoError(path, "is neither JPEG nor PNG; convert the image");
  }
  if (file.size.height < 1 || file.size.width < 1) content.refuse("is damaged: it has no size");
  // The product of two sides of 32 bits can overflow.
  if (file.size.height > kMaxImagePixels / file.size.width) {
    throw IoError(path,
                  "has " + size_text(file.size) + " pixels, at most " +
                      std::to_string(kMaxImagePixels) + " are read; use a smaller image");
  }
  return file;
}

}  // namespace supn
