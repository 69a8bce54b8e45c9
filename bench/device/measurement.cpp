#include "measurement.hpp"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace supn::bench {

double Measurements::milliseconds(const std::function<void()>& repetition) const {
  if (!device_.is_cuda()) {
    const auto begin = std::chrono::steady_clock::now();
    repetition();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  }
  const c10::impl::VirtualGuardImpl gpu(device_.type());
  const c10::Stream stream = gpu.getStream(device_);
  c10::Event begin(device_.type(), c10::EventFlag::BACKEND_DEFAULT);  // the default has no time
  c10::Event end(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  begin.record(stream);
  repetition();
  end.record(stream);
  end.synchronize();
  return begin.elapsedTime(end);
}

Measurements::Time Measurements::time_of(const std::function<void()>& repetition) const {
  const std::clock_t begin = std::clock();
  const double elapsed = milliseconds(repetition);
  return {elapsed, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC};
}

void Measurements::measure(const Work& work, const std::function<void()>& repetition) {
  for (int i = 0; i < effort_.warm_up; ++i) milliseconds(repetition);
  std::vector<double> times;
  std::vector<double> processor;
  for (int i = 0; i < effort_.repetitions; ++i) {
    const Time time = time_of(repetition);
    times.push_back(time.milliseconds * work.repeated);
    processor.push_back(time.processor * work.repeated);
  }
  std::sort(times.begin(), times.end());
  std::sort(processor.begin(), processor.end());
  const Row row{work,
                times[times.size() / 2],
                times.front(),
                processor[processor.size() / 2],
                effort_.repetitions};
  rows_.push_back(row);
  std::printf(
      "%-44s %10.2f ms  processor %10.2f ms", work.name.c_str(), row.milliseconds, row.processor);
  if (work.images > 0) std::printf("  %8.1f images/s", row.images_per_second());
  if (work.bytes > 0) std::printf("  %8.1f GB/s", row.gigabytes_per_second());
  std::printf("  %s\n", work.note.c_str());
  std::fflush(stdout);
}

}  // namespace supn::bench
