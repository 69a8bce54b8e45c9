#include "measurement.hpp"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

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

void Measurements::measure(const Work& work, const std::function<void()>& repetition) {
  for (int i = 0; i < effort_.warm_up; ++i) milliseconds(repetition);
  std::vector<double> times;
  for (int i = 0; i < effort_.repetitions; ++i) times.push_back(milliseconds(repetition));
  std::sort(times.begin(), times.end());
  const Row row{work,
                times[times.size() / 2] * work.repeated,
                times.front() * work.repeated,
                effort_.repetitions};
  rows_.push_back(row);
  std::printf("%-44s %10.2f ms", work.name.c_str(), row.milliseconds);
  if (work.images > 0) std::printf("  %8.1f images/s", row.images_per_second());
  if (work.bytes > 0) std::printf("  %8.1f GB/s", row.gigabytes_per_second());
  std::printf("  %s\n", work.note.c_str());
  std::fflush(stdout);
}

}  // namespace supn::bench
