// The inner loops of noise.hpp: plain pointers, samples of one image, no threads. T is float or
// double.
#pragma once

#include <cstdint>

namespace supn {

// Which normals: pixels 4·first_block, 4·first_block + 1, … of a sample.
struct NoiseStream {
  std::uint64_t seed;
  std::uint64_t sample;
  std::uint64_t first_block;
};

// The kernels of this processor's instruction set.
template <typename T>
struct NormalKernels {
  // out[i] = ε of pixel 4·first_block + i, i < count.
  void (*fill)(T* out, const NoiseStream& stream, std::int64_t count);

  // The samples `sample`, sample + 1, … in lanes: out[i·lanes + lane] = ε of pixel 4·first_block + i
  // of sample + lane, i < 4·blocks. lanes is a multiple of 8.
  void (*fill_lanes)(T* out, const NoiseStream& stream, std::int64_t blocks, std::int64_t lanes);
};
template <typename T>
NormalKernels<T> normal_kernels();

}  // namespace supn
