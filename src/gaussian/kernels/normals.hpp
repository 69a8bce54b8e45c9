// The inner loop of noise.hpp: plain pointers, one sample of one image, no threads.
#pragma once

#include <cstdint>

namespace supn {

// Says which normals are drawn: pixels 4·first_block, 4·first_block + 1, … of a sample.
struct NoiseStream {
  std::uint64_t seed;
  std::uint64_t sample;
  std::uint64_t first_block;
};

// out[i] = ε of pixel 4·first_block + i, i < count.
void fill_standard_normal(float* out, const NoiseStream& stream, std::int64_t count);
void fill_standard_normal(double* out, const NoiseStream& stream, std::int64_t count);

}  // namespace supn
