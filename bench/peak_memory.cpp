#include "peak_memory.hpp"

#include <c10/util/Exception.h>
#include <malloc.h>

#include <fstream>
#include <string>

namespace supn::bench {
namespace {

double status_bytes(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    if (word != field + ":") continue;
    double kibibytes = 0;
    file >> kibibytes;
    return kibibytes * 1024;
  }
  TORCH_CHECK(false, "peak_memory_growth: /proc/self/status has no ", field);
}

void reset_high_water_mark() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  TORCH_CHECK(file.good(), "peak_memory_growth: /proc/self/clear_refs cannot be written");
}

}  // namespace

double peak_memory_growth(const std::function<void()>& work) {
  malloc_trim(0);
  reset_high_water_mark();
  const double before = status_bytes("VmRSS");
  work();
  return status_bytes("VmHWM") - before;
}

}  // namespace supn::bench
