// PNG files whose checksums are right and whose structure is not.
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

std::string big_endian_number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFFU);
  return bytes;
}

std::uint32_t png_checksum(const std::string& bytes) {
  std::uint32_t value = 0xFFFFFFFFU;
  for (const char c : bytes) {
    value ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1U) != 0 ? 0xEDB88320U : 0);
  }
  return ~value;
}

std::string png_chunk(const std::string& type, const std::string& data) {
  return big_endian_number(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian_number(png_checksum(type + data));
}

// Of 1x1 pixels.
std::string png_header(char bits, char colour_type) {
  return png_chunk(
      "IHDR",
      big_endian_number(1) + big_endian_number(1) + std::string{bits, colour_type, 0, 0, 0});
}

class PngStructure : public TemporaryFolder {
 protected:
  // What the reader says, empty if it reads the file; nothing else reaches the terminal.
  std::string fault(const std::vector<std::string>& chunks) const {
    std::string bytes("\x89PNG\r\n\x1a\n", 8);
    for (const std::string& chunk : chunks) bytes += chunk;
    put(folder_ / "a.png", bytes);
    ::testing::internal::CaptureStderr();
    std::string fault = message_of<IoError>([&] { read_rgb(folder_ / "a.png"); });
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    return fault;
  }

  // One grey or palette pixel of 8 bits, 0, in a stored block.
  const std::string pixels_ =
      png_chunk("IDAT", std::string("\x78\x01\x01\x02\x00\xfd\xff\x00\x00\x00\x02\x00\x01", 13));
  const std::string palette_ = png_chunk("PLTE", "abc");
  const std::string note_ = png_chunk("teXt", "a");
  const std::string end_ = png_chunk("IEND", "");
};

TEST_F(PngStructure, ReadsWhatIsInOrder) {
  EXPECT_EQ(fault({png_header(8, 0), note_, pixels_, note_, end_}), "");
  EXPECT_EQ(fault({png_header(8, 3), palette_, pixels_, end_}), "");
}

TEST_F(PngStructure, IsTurnedByItsExif) {
  const std::string exif("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", 26);
  write_png(folder_ / "plain.png", at::arange(2 * 3 * 3).to(at::kByte).view({2, 3, 3}));
  const std::string plain = bytes_of(folder_ / "plain.png");
  constexpr std::size_t kHeaderEnd = 33;
  put(folder_ / "turned.png",
      plain.substr(0, kHeaderEnd) + png_chunk("eXIf", exif) + plain.substr(kHeaderEnd));

  const at::Tensor expected = read_rgb(folder_ / "plain.png").rot90(-1, {0, 1});

  EXPECT_TRUE(at::equal(read_rgb(folder_ / "turned.png"), expected));
  EXPECT_EQ(read_image_size(folder_ / "turned.png"), (ImageSize{3, 2}));
}

TEST_F(PngStructure, RefusesDisorder) {
  const std::string grey = png_header(8, 0);
  for (const std::vector<std::string>& chunks : std::vector<std::vector<std::string>>{
           {grey, end_},
           {grey, grey, pixels_, end_},
           {grey, pixels_, note_, pixels_, end_},
           {grey, png_chunk("ABCD", ""), pixels_, end_},
           {png_header(8, 3), pixels_, end_},
           {png_header(8, 3), pixels_, palette_, end_},
           {png_header(8, 3), palette_, palette_, pixels_, end_}}) {
    EXPECT_THAT(fault(chunks), HasSubstr("in disorder, or one is missing"));
  }
}

TEST_F(PngStructure, RefusesUnknownPixels) {
  for (const std::string& header : {png_header(7, 0), png_header(16, 3), png_header(8, 1)}) {
    EXPECT_THAT(fault({header, pixels_, end_}), HasSubstr("that PNG does not know"));
  }
}

}  // namespace
}  // namespace supn
