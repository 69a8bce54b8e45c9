#include "supn/serialization/event_file.hpp"

#include <c10/util/Exception.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "crc32c.hpp"
#include "protobuf_writer.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/write_failure.hpp"

namespace supn {
namespace {

// Field numbers of event.proto and summary.proto.
namespace event_field {
constexpr std::uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace value_field {
constexpr std::uint32_t kTag = 1, kSimpleValue = 2, kImage = 4, kHistogram = 5;
}
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kSessionStatus = 1;
constexpr std::int64_t kSessionStart = 1;

double seconds_since_epoch() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

template <class T>
std::string little_endian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i, value >>= 8U)
    bytes += static_cast<char>(value & 0xFFU);
  return bytes;
}

std::string record(const std::string& data) {
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  return length + little_endian(masked_crc32c(length)) + data + little_endian(masked_crc32c(data));
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& directory) {
  create_folder(directory);
  char name[64];
  std::snprintf(name,
                sizeof name,
                "events.out.tfevents.%010lld.",
                static_cast<long long>(seconds_since_epoch()));
  file_ = directory / (name + host_name() + "." + std::to_string(::getpid()) + ".supn");
  stream_.open(file_, std::ios::binary | std::ios::app);
  if (!stream_) fail_to_write(file_);
  write_event(ProtobufWriter().bytes(event_field::kFileVersion, "brain.Event:2").message());
  flush();
}

void EventFile::write_restart(std::int64_t step) {
  const std::string session = ProtobufWriter().integer(kSessionStatus, kSessionStart).message();
  write_event(ProtobufWriter()
                  .integer(event_field::kStep, step)
                  .bytes(event_field::kSessionLog, session)
                  .message());
}

void EventFile::write_scalar(const EventPlace& place, double value) {
  write_value(
      place,
      ProtobufWriter().single(value_field::kSimpleValue, static_cast<float>(value)).message());
}

void EventFile::write_histogram(const EventPlace& place, const HistogramEvent& histogram) {
  TORCH_CHECK(histogram.limits.size() == histogram.counts.size(),
              "EventFile::write_histogram: expected as many limits as counts, got ",
              histogram.limits.size(),
              " and ",
              histogram.counts.size());
  double values = 0.0;
  for (const double count : histogram.counts) values += count;
  const std::string message = ProtobufWriter()
                                  .real(1, histogram.minimum)
                                  .real(2, histogram.maximum)
                                  .real(3, values)
                                  .real(4, histogram.sum)
                                  .real(5, histogram.sum_of_squares)
                                  .reals(6, histogram.limits)
                                  .reals(7, histogram.counts)
                                  .message();
  write_value(place, ProtobufWriter().bytes(value_field::kHistogram, message).message());
}

void EventFile::write_image(const EventPlace& place, const ImageSize& size, std::string_view png) {
  constexpr std::int64_t kRgb = 3;
  const std::string message = ProtobufWriter()
                                  .integer(1, size.height)
                                  .integer(2, size.width)
                                  .integer(3, kRgb)
                                  .bytes(4, png)
                                  .message();
  write_value(place, ProtobufWriter().bytes(value_field::kImage, message).message());
}

void EventFile::write_value(const EventPlace& place, std::string_view value) {
  std::string tagged = ProtobufWriter().bytes(value_field::kTag, place.tag).message();
  tagged += value;
  const std::string summary = ProtobufWriter().bytes(kSummaryValue, tagged).message();
  write_event(ProtobufWriter()
                  .integer(event_field::kStep, place.step)
                  .bytes(event_field::kSummary, summary)
                  .message());
}

void EventFile::write_event(std::string_view fields) {
  std::string event =
      ProtobufWriter().real(event_field::kWallTime, seconds_since_epoch()).message();
  event += fields;
  const std::string bytes = record(event);
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void EventFile::flush() {
  stream_.flush();
  if (!stream_) fail_to_write(file_);
}

}  // namespace supn
