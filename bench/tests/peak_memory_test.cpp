#include "peak_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace supn::bench {
namespace {

void touch(std::size_t bytes) {
  const std::unique_ptr<char[]> memory(new char[bytes]);
  std::memset(memory.get(), 1, bytes);
  asm volatile("" : : "r"(memory.get()) : "memory");
}

TEST(PeakMemory, SeesWhatIsFreedAgain) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const double growth = peak_memory_growth([] { touch(kBytes); });
  EXPECT_GE(growth, 0.95 * kBytes);
  EXPECT_LE(growth, 1.1 * kBytes);
}

TEST(PeakMemory, ForgetsEarlierPeaks) {
  touch(std::size_t{96} << 20);
  EXPECT_LE(peak_memory_growth([] { touch(1 << 20); }), 8 << 20);
}

}  // namespace
}  // namespace supn::bench
