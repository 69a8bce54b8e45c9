// Uninitialised float64 storage for tens of megabytes that are walked in many short strides: on
// huge pages where the system has them, since translation misses would otherwise dominate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace supn {

class LargeBuffer {
 public:
  // Throws std::bad_alloc.
  explicit LargeBuffer(std::int64_t count);

  double* data() const { return data_.get(); }

 private:
  struct Release {
    void operator()(double* data) const;
  };
  std::unique_ptr<double, Release> data_;
};

}  // namespace supn
