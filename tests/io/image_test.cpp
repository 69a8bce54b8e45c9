#include "supn/io/image.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "io/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

at::Tensor pattern(std::int64_t height, std::int64_t width) {
  return at::arange(height * width * 3)
      .mul(37)
      .remainder(256)
      .to(at::kByte)
      .view({height, width, 3});
}

class ImageFiles : public TemporaryFolder {
 protected:
  // A smooth JPEG of 16 rows and 24 columns, red growing to the right, green downwards.
  std::filesystem::path write_jpeg(const std::string& name) const {
    cv::Mat image(16, 24, CV_8UC3);
    for (int y = 0; y < image.rows; ++y) {
      for (int x = 0; x < image.cols; ++x) {
        image.at<cv::Vec3b>(y, x) = {20, static_cast<uchar>(10 * y), static_cast<uchar>(10 * x)};
      }
    }
    const auto file = folder_ / name;
    cv::imwrite(file.string(), image, {cv::IMWRITE_JPEG_QUALITY, 100});
    return file;
  }
  // A JPEG segment (APP1) with one TIFF entry: how to turn the picture.
  static std::string exif(char orientation) {
    const std::string start("\xff\xe1\x00\x22", 4);
    return start + std::string("Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 25) +
           orientation + std::string(6, '\0');
  }
  static std::string refusal(const std::filesystem::path& file) {
    return message_of<IoError>([&] { read_rgb(file); });
  }
};

TEST_F(ImageFiles, ReadBackWhatWasWritten) {
  const at::Tensor image = pattern(5, 7);
  write_png(folder_ / "a.png", image);

  const at::Tensor read = read_rgb(folder_ / "a.png");

  EXPECT_EQ(read.scalar_type(), at::kByte);
  EXPECT_TRUE(at::equal(read, image));
  EXPECT_EQ(read_image_size(folder_ / "a.png"), (ImageSize{5, 7}));
}

TEST_F(ImageFiles, EncodeInMemoryAsInAFile) {
  const at::Tensor image = pattern(5, 7);
  write_png(folder_ / "a.png", image);
  EXPECT_EQ(encoded_png(image), bytes_of(folder_ / "a.png"));
}

TEST_F(ImageFiles, KeepTheOrderOfColours) {
  const at::Tensor read = read_rgb(write_jpeg("a.jpg"));

  ASSERT_EQ(read.sizes(), (at::IntArrayRef{16, 24, 3}));
  EXPECT_NEAR(read[3][20][0].item<double>(), 200, 12);
  EXPECT_NEAR(read[3][20][1].item<double>(), 30, 12);
  EXPECT_NEAR(read[3][20][2].item<double>(), 20, 12);
}

TEST_F(ImageFiles, GiveGreyAsThreeEqualChannels) {
  const at::Tensor grey = pattern(4, 6).select(2, 0);
  write_png(folder_ / "a.png", grey);

  const at::Tensor read = read_rgb(folder_ / "a.png");

  for (std::int64_t c = 0; c < 3; ++c) EXPECT_TRUE(at::equal(read.select(2, c), grey));
}

TEST_F(ImageFiles, WriteStridedImages) {
  const at::Tensor image = pattern(8, 6).transpose(0, 1);
  write_png(folder_ / "a.png", image);

  EXPECT_TRUE(at::equal(read_rgb(folder_ / "a.png"), image));
}

TEST_F(ImageFiles, ApplyTheOrientationInExif) {
  const std::string bytes = bytes_of(write_jpeg("plain.jpg"));
  const at::Tensor plain = read_rgb(folder_ / "plain.jpg");
  const at::Tensor swapped = plain.transpose(0, 1);
  const std::vector<at::Tensor> expected = {plain,
                                            plain.flip({1}),
                                            plain.flip({0, 1}),
                                            plain.flip({0}),
                                            swapped,
                                            plain.rot90(-1, {0, 1}),
                                            swapped.flip({0, 1}),
                                            plain.rot90(1, {0, 1})};
  for (char orientation = 1; orientation <= 8; ++orientation) {
    put(folder_ / "turned.jpg", bytes.substr(0, 2) + exif(orientation) + bytes.substr(2));

    const at::Tensor turned = read_rgb(folder_ / "turned.jpg");

    EXPECT_TRUE(at::equal(turned, expected[static_cast<std::size_t>(orientation - 1)]))
        << int{orientation};
    EXPECT_EQ(read_image_size(folder_ / "turned.jpg"), (ImageSize{turned.size(0), turned.size(1)}));
  }
}

TEST_F(ImageFiles, StayAsStoredWhereExifIsDamaged) {
  const std::string bytes = bytes_of(write_jpeg("plain.jpg"));
  for (const std::size_t place : {10U, 12U, 16U, 20U, 22U, 29U}) {
    std::string segment = exif(6);
    segment[place] = '\x7f';
    put(folder_ / "turned.jpg", bytes.substr(0, 2) + segment + bytes.substr(2));
    EXPECT_EQ(read_image_size(folder_ / "turned.jpg"), (ImageSize{16, 24})) << place;
  }
}

TEST_F(ImageFiles, AreRefusedWhenMissing) {
  EXPECT_THAT(refusal(folder_ / "a.png"),
              StartsWith((folder_ / "a.png").string() + ": there is no"));
  EXPECT_THAT(refusal(folder_), HasSubstr("folder"));
}

TEST_F(ImageFiles, AreRefusedWhenNeitherJpegNorPng) {
  put(folder_ / "a.png", "this is text");
  put(folder_ / "empty.png", "");

  EXPECT_THAT(refusal(folder_ / "a.png"), HasSubstr("neither JPEG nor PNG"));
  EXPECT_THAT(refusal(folder_ / "empty.png"), HasSubstr("is empty"));
}

TEST_F(ImageFiles, AreRefusedWhereverTheyAreCutOff) {
  write_png(folder_ / "a.png", pattern(5, 7));
  for (const auto& file : {folder_ / "a.png", write_jpeg("a.jpg")}) {
    const std::string whole = bytes_of(file);
    for (std::size_t length = 8; length < whole.size(); ++length) {
      put(folder_ / "cut", whole.substr(0, length));
      ASSERT_THAT(refusal(folder_ / "cut"), HasSubstr("cut off")) << file << ' ' << length;
    }
  }
}

TEST_F(ImageFiles, AreRefusedWhenAPngsChecksumIsWrong) {
  write_png(folder_ / "a.png", pattern(5, 7));
  std::string bytes = bytes_of(folder_ / "a.png");
  bytes[bytes.size() - 20] = static_cast<char>(bytes[bytes.size() - 20] ^ 1);
  put(folder_ / "a.png", bytes);

  EXPECT_THAT(refusal(folder_ / "a.png"), HasSubstr("checksum"));
}

TEST_F(ImageFiles, AreRefusedBeforeDecodingWhenTooLarge) {
  // A frame header that promises 65535 x 65535 pixels.
  put(folder_ / "a.jpg",
      std::string("\xff\xd8\xff\xc0\x00\x08\x08\xff\xff\xff\xff\x03\xff\xd9", 14));

  EXPECT_THAT(refusal(folder_ / "a.jpg"), HasSubstr("65535x65535"));

  // Of 4026531840 x 4026531840 the product does not fit into 64 bits.
  put(folder_ / "a.png",
      "\x89PNG\r\n\x1a\n" +
          std::string("\x00\x00\x00\x0dIHDR\xf0\x00\x00\x00\xf0\x00\x00\x00\x10\x00\x00\x00\x00",
                      21) +
          "\xc2\x18\x65\x84" + std::string("\x00\x00\x00\x00IDAT\x35\xaf\x06\x1e", 12) +
          std::string("\x00\x00\x00\x00IEND\xae\x42\x60\x82", 12));

  EXPECT_THAT(refusal(folder_ / "a.png"), HasSubstr("4026531840x4026531840"));
}

TEST_F(ImageFiles, AreRefusedWhenAJpegGivesItsSizeTwice) {
  const std::string whole = bytes_of(write_jpeg("a.jpg"));
  const std::size_t place = whole.find("\xff\xc0");
  ASSERT_NE(place, std::string::npos);
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(whole[place + 3])) + 2;
  put(folder_ / "twice.jpg", whole.substr(0, place + length) + whole.substr(place));

  EXPECT_THAT(refusal(folder_ / "twice.jpg"), HasSubstr("its size twice"));
}

TEST_F(ImageFiles, AreNotWrittenBelowAFile) {
  put(folder_ / "file", "text");

  EXPECT_THROW(write_png(folder_ / "file" / "a.png", pattern(2, 2)), IoError);
  EXPECT_EQ(bytes_of(folder_ / "file"), "text");
}

TEST_F(ImageFiles, AreNotMadeOfOtherTensors) {
  EXPECT_THROW(write_png(folder_ / "a.png", at::zeros({4, 4, 3})), c10::Error);
  EXPECT_THROW(write_png(folder_ / "a.png", at::zeros({4, 4, 2}, at::kByte)), c10::Error);
  EXPECT_THROW(write_png(folder_ / "a.png", at::zeros({0, 4}, at::kByte)), c10::Error);
}

}  // namespace
}  // namespace supn
