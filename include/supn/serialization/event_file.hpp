// TensorBoard's event files, as its Python package reads them: TFRecords (length, masked CRC-32C of
// the length, bytes, masked CRC-32C of the bytes) of `Event` messages in Protocol Buffers' wire
// format. Sources: tensorflow/core/lib/io/record_writer.h, util/event.proto,
// framework/summary.proto.
//
//   EventFile events(run / "tensorboard");
//   events.write_scalar({"loss/train", step}, 0.5);
//   events.flush();
//
// Every start of a run writes a file of its own into the directory; TensorBoard shows all of them
// as one run. A process that dies leaves a file that is readable up to its last whole record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "supn/image_size.hpp"

namespace supn {

struct EventPlace {
  std::string tag;  // "section/name"
  std::int64_t step = 0;
};

// Counts of values between limits. Bucket i holds values in (limit[i − 1], limit[i]]; both vectors
// have the same length.
struct HistogramEvent {
  double minimum = 0.0;
  double maximum = 0.0;
  double sum = 0.0;
  double sum_of_squares = 0.0;
  std::vector<double> limits;
  std::vector<double> counts;
};

class EventFile {
 public:
  // Opens <directory>/events.out.tfevents.<seconds>.<host>.<process>.supn, creating the directory.
  // Throws IoError if it cannot be written.
  explicit EventFile(const std::filesystem::path& directory);

  // Declares that what other files of the directory hold from this step on is no longer true.
  void write_restart(std::int64_t step);
  void write_scalar(const EventPlace& place, double value);
  // Throws c10::Error if limits and counts differ in number.
  void write_histogram(const EventPlace& place, const HistogramEvent& histogram);
  // png: a whole file of RGB or grey.
  void write_image(const EventPlace& place, const ImageSize& size, std::string_view png);
  // Throws IoError if not everything could be written.
  void flush();

  const std::filesystem::path& file() const { return file_; }

 private:
  void write_event(std::string_view fields);
  void write_value(const EventPlace& place, std::string_view value);

  std::filesystem::path file_;
  std::ofstream stream_;
};

}  // namespace supn
