#include "gaussian/kernels/noise_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gaussian/kernels/avx2.hpp"
#include "gaussian/kernels/elementary.hpp"
#include "gaussian/kernels/instruction_sets.hpp"
#include "gaussian/kernels/noise_avx2.hpp"
#include "supn/gaussian/philox.hpp"

namespace supn::row {
namespace {

constexpr int kBlocks = 32;  // counters at once: enough for the widest vectors, and all in L1

struct Counters {
  std::uint64_t pixel_block[kBlocks];
  std::uint64_t sample[kBlocks];
};

struct WordBlocks {
  std::uint32_t words[4][kBlocks];
};

// Philox4x32::random_words of every counter, laid out for vector registers.
SUPN_INLINE void fill_words(WordBlocks& blocks, std::uint64_t key, const Counters& counters) {
  const Philox4x32::Key seed = Philox4x32::key_of(key);
  for (int i = 0; i < kBlocks; ++i) {
    std::uint32_t c0 = static_cast<std::uint32_t>(counters.pixel_block[i]);
    std::uint32_t c1 = static_cast<std::uint32_t>(counters.pixel_block[i] >> 32);
    std::uint32_t c2 = static_cast<std::uint32_t>(counters.sample[i]);
    std::uint32_t c3 = static_cast<std::uint32_t>(counters.sample[i] >> 32);
    std::uint32_t k0 = seed[0];
    std::uint32_t k1 = seed[1];
    for (int round = 0; round < Philox4x32::kRounds; ++round) {
      const std::uint64_t product0 = std::uint64_t{Philox4x32::kMultiplier0} * c0;
      const std::uint64_t product1 = std::uint64_t{Philox4x32::kMultiplier1} * c2;
      c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<std::uint32_t>(product1);
      c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<std::uint32_t>(product0);
      k0 += Philox4x32::kWeyl0;
      k1 += Philox4x32::kWeyl1;
    }
    blocks.words[0][i] = c0;
    blocks.words[1][i] = c1;
    blocks.words[2][i] = c2;
    blocks.words[3][i] = c3;
  }
}

// Box-Muller of two words of every block: normals first and first + 1 of each block's four.
template <typename T>
SUPN_INLINE void fill_pairs(T (&normals)[4][kBlocks], const WordBlocks& blocks, int first) {
  for (int i = 0; i < kBlocks; ++i) {
    const T square = elementary::minus_two_log_uniform<T>(blocks.words[first][i]);
    const T radius = std::sqrt(square);
    const auto angle = elementary::cosine_sine_of_turn<T>(blocks.words[first + 1][i]);
    normals[first][i] = radius * angle.cosine;
    normals[first + 1][i] = radius * angle.sine;
  }
}

template <typename T>
SUPN_INLINE void fill_normals(T (&normals)[4][kBlocks],
                              std::uint64_t key,
                              const Counters& counters) {
  WordBlocks blocks;
  fill_words(blocks, key, counters);
  fill_pairs(normals, blocks, 0);
  fill_pairs(normals, blocks, 2);
}

}  // namespace

namespace portable {

template <typename T>
SUPN_KERNEL void fill_standard_normal(T* out, const NoiseStream& stream, std::int64_t count) {
  constexpr std::int64_t kChunk = 4 * kBlocks;
  for (std::int64_t done = 0; done < count; done += kChunk) {
    Counters counters;
    for (int i = 0; i < kBlocks; ++i) {
      counters.pixel_block[i] = stream.first_block + static_cast<std::uint64_t>(done / 4 + i);
      counters.sample[i] = stream.sample;
    }
    T normals[4][kBlocks];
    fill_normals(normals, stream.seed, counters);
    T in_order[kChunk];
    for (int i = 0; i < kBlocks; ++i) {
      for (int j = 0; j < 4; ++j) in_order[4 * i + j] = normals[j][i];
    }
    std::copy_n(in_order, std::min(kChunk, count - done), out + done);
  }
}

template <typename T>
SUPN_KERNEL void fill_standard_normal_lanes(T* out,
                                            const NoiseStream& stream,
                                            std::int64_t blocks,
                                            std::int64_t lanes) {
  const std::int64_t at_once = kBlocks / lanes;
  for (std::int64_t block = 0; block < blocks; block += at_once) {
    Counters counters;
    for (std::int64_t i = 0; i < at_once; ++i) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        counters.pixel_block[i * lanes + lane] =
            stream.first_block + static_cast<std::uint64_t>(block + i);
        counters.sample[i * lanes + lane] = stream.sample + static_cast<std::uint64_t>(lane);
      }
    }
    T normals[4][kBlocks];
    fill_normals(normals, stream.seed, counters);
    for (std::int64_t i = 0; i < std::min(at_once, blocks - block); ++i) {
      for (std::int64_t j = 0; j < 4; ++j) {
        std::copy_n(normals[j] + i * lanes, lanes, out + (4 * (block + i) + j) * lanes);
      }
    }
  }
}

}  // namespace portable

template <typename T>
void fill_standard_normal(T* out, const NoiseStream& stream, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    if (processor_has_avx2()) return avx2::fill_standard_normal(out, stream, count);
  }
  portable::fill_standard_normal<T>(out, stream, count);
}

template <typename T>
void fill_standard_normal_lanes(T* out,
                                const NoiseStream& stream,
                                std::int64_t blocks,
                                std::int64_t lanes) {
  if constexpr (std::is_same_v<T, float>) {
    if (processor_has_avx2()) return avx2::fill_standard_normal_lanes(out, stream, blocks, lanes);
  }
  portable::fill_standard_normal_lanes<T>(out, stream, blocks, lanes);
}

#define SUPN_INSTANTIATE(T)                                                                        \
  template void fill_standard_normal<T>(T*, const NoiseStream&, std::int64_t);                     \
  template void fill_standard_normal_lanes<T>(T*, const NoiseStream&, std::int64_t, std::int64_t); \
  template void portable::fill_standard_normal<T>(T*, const NoiseStream&, std::int64_t);           \
  template void portable::fill_standard_normal_lanes<T>(                                           \
      T*, const NoiseStream&, std::int64_t, std::int64_t);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::row
