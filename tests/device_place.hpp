// Where a test of device code runs: on a GPU, or on the CPU by the operations that a GPU runs, so
// that they are tested where there is none.
#pragma once

#include <ATen/Context.h>
#include <c10/core/Device.h>
#include <gtest/gtest.h>

#include <optional>
#include <ostream>

#include "gaussian/ops/ops.hpp"

namespace supn::test {

enum class Place { kCpu, kCuda };

inline void PrintTo(Place place, std::ostream* out) {
  *out << (place == Place::kCuda ? "CUDA" : "CPU without kernels");
}

inline at::Device device_of(Place place) {
  return at::Device(place == Place::kCuda ? at::kCUDA : at::kCPU);
}

inline bool is_there(Place place) { return place == Place::kCpu || at::hasCUDA(); }

// In a test's SetUp().
#define SUPN_SKIP_WITHOUT(place)                                                              \
  if (!is_there(place)) {                                                                     \
    GTEST_SKIP() << "no CUDA device, or a build that is not linked against CUDA's libraries"; \
  }

// What `work(device)` gives.
template <class Work>
auto at_place(Place place, const Work& work) {
  std::optional<device::WithoutKernels> without_kernels;
  if (place == Place::kCpu) without_kernels.emplace();
  return work(device_of(place));
}

}  // namespace supn::test
