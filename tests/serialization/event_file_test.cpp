#include "supn/serialization/event_file.hpp"

#include <c10/util/Exception.h>
#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "../../src/serialization/crc32c.hpp"
#include "../../src/serialization/protobuf_writer.hpp"
#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using test::read_bytes;
using test::TemporaryFolder;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

template <class T>
T number_at(const std::string& file, std::size_t place) {
  T value{};
  std::memcpy(&value, file.data() + place, sizeof value);
  return value;
}

// The records' data, each checked against both of its checksums.
std::vector<std::string> records(const std::string& file) {
  std::vector<std::string> found;
  std::size_t place = 0;
  while (place < file.size()) {
    const auto length = number_at<std::uint64_t>(file, place);
    EXPECT_EQ(number_at<std::uint32_t>(file, place + 8), masked_crc32c(file.substr(place, 8)));
    found.push_back(file.substr(place + 12, length));
    EXPECT_EQ(number_at<std::uint32_t>(file, place + 12 + length), masked_crc32c(found.back()));
    place += 16 + length;
  }
  return found;
}

constexpr std::size_t kWallTime = 9;  // bytes of the field that every event begins with

TEST(Crc32c, HasTheValuesOfTheStandard) {
  // RFC 3720, appendix B.4, and the usual check value.
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(ProtobufWriter, EncodesAsTheSpecificationSays) {
  EXPECT_EQ(ProtobufWriter().integer(1, 150).message(), bytes({0x08, 0x96, 0x01}));
  EXPECT_EQ(ProtobufWriter().bytes(2, "testing").message(), bytes({0x12, 0x07}) + "testing");
  EXPECT_EQ(ProtobufWriter().integer(1, -1).message(),
            bytes({0x08}) + std::string(9, '\xFF') + bytes({0x01}));
  EXPECT_EQ(ProtobufWriter().single(3, 1.0F).message(), bytes({0x1D, 0, 0, 0x80, 0x3F}));
  EXPECT_EQ(ProtobufWriter().real(20, 1.0).message(),
            bytes({0xA1, 0x01, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F}));
  const std::vector<double> two = {0.0, 1.0};
  EXPECT_EQ(ProtobufWriter().reals(6, two).message(),
            bytes({0x32, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F}));
}

TEST(EventFile, BeginsWithItsVersionAndHoldsEachScalarOnce) {
  const TemporaryFolder folder;
  EventFile events(folder / "run");
  events.write_scalar({"loss/a", 300}, 0.5);
  events.write_restart(7);
  events.flush();

  const std::vector<std::string> found = records(read_bytes(events.file()));

  EXPECT_THAT(events.file().filename().string(), ::testing::StartsWith("events.out.tfevents."));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].substr(kWallTime), bytes({0x1A, 13}) + "brain.Event:2");
  EXPECT_EQ(found[1].substr(kWallTime),
            bytes({0x10, 0xAC, 0x02, 0x2A, 15, 0x0A, 13, 0x0A, 6}) + "loss/a" +
                bytes({0x15, 0, 0, 0, 0x3F}));
  EXPECT_EQ(found[2].substr(kWallTime), bytes({0x10, 7, 0x3A, 2, 0x08, 1}));
}

TEST(EventFile, HoldsPicturesAsTheyAre) {
  const TemporaryFolder folder;
  EventFile events(folder / "run");
  const std::string png(300, '\x89');
  events.write_image({"a", 1}, {2, 3}, png);
  events.flush();

  const std::vector<std::string> found = records(read_bytes(events.file()));

  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[1], EndsWith(bytes({0x08, 2, 0x10, 3, 0x18, 3, 0x22, 0xAC, 0x02}) + png));
}

TEST(EventFile, RefusesHistogramsWhoseBucketsDoNotMatch) {
  const TemporaryFolder folder;
  EventFile events(folder / "run");
  HistogramEvent histogram;
  histogram.limits = {1.0, 2.0};
  histogram.counts = {3.0};
  EXPECT_THROW(events.write_histogram({"a", 1}, histogram), c10::Error);
}

TEST(EventFile, NamesThePlaceThatCannotBeWritten) {
  const TemporaryFolder folder;
  test::write_bytes(folder / "file", "x");
  try {
    EventFile events(folder / "file" / "run");
    FAIL() << "wrote below a file";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder / "file").string()));
  }
}

}  // namespace
}  // namespace supn
