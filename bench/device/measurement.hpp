// Times on a device: by its own events on a GPU, by the clock on the CPU.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace supn::bench {

// What one repetition of a row is.
struct Work {
  std::string name;
  double images = 0.0;  // 0: not counted in images
  double bytes = 0.0;   // that have to be read or written at least; 0: not counted
  double repeated = 1;  // the row is of this many times the work
  std::string note = {};
};

struct Row {
  Work work;
  double milliseconds = 0.0;  // median, of the whole row
  double fastest = 0.0;
  double processor = 0.0;  // median milliseconds of all the processor's threads: what another load
                           // on the machine changes least
  std::int64_t repetitions = 0;

  double images_per_second() const { return work.images / milliseconds * 1e3; }
  double gigabytes_per_second() const { return work.bytes / milliseconds * 1e-6; }
};

struct Effort {
  int warm_up = 3;
  int repetitions = 20;
};

class Measurements {
 public:
  Measurements(const c10::Device& device, const Effort& effort)
      : device_(device), effort_(effort) {}

  const c10::Device& device() const { return device_; }
  const std::vector<Row>& rows() const { return rows_; }
  // Adds the row and prints it.
  void measure(const Work& work, const std::function<void()>& repetition);

 private:
  struct Time {
    double milliseconds = 0.0;
    double processor = 0.0;
  };
  Time time_of(const std::function<void()>& repetition) const;
  double milliseconds(const std::function<void()>& repetition) const;

  c10::Device device_;
  Effort effort_;
  std::vector<Row> rows_;
};

}  // namespace supn::bench
