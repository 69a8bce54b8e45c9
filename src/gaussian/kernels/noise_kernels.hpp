// The inner loops of noise.hpp: plain pointers, samples of one image, no threads.
#pragma once

#include <cstdint>

namespace supn::row {

// Which normals: pixels 4·first_block, 4·first_block + 1, ... of a sample.
struct NoiseStream {
  std::uint64_t seed;
  std::uint64_t sample;
  std::uint64_t first_block;
};

// out[i] = ε of pixel 4·first_block + i, i < count. T is float or double.
template <typename T>
void fill_standard_normal(T* out, const NoiseStream& stream, std::int64_t count);

// The samples `sample`, sample + 1, … in lanes (8, 16 or 32): out[i·lanes + lane] = ε of pixel
// 4·first_block + i of sample + lane, i < 4·blocks.
template <typename T>
void fill_standard_normal_lanes(T* out,
                                const NoiseStream& stream,
                                std::int64_t blocks,
                                std::int64_t lanes);

// The forms that every processor has; the ones above take a faster one where there is one, with the
// same bits.
namespace portable {

template <typename T>
void fill_standard_normal(T* out, const NoiseStream& stream, std::int64_t count);

template <typename T>
void fill_standard_normal_lanes(T* out,
                                const NoiseStream& stream,
                                std::int64_t blocks,
                                std::int64_t lanes);

}  // namespace portable

}  // namespace supn::row
