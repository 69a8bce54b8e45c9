#include "noise_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "instruction_sets.hpp"
#include "supn/gaussian/philox.hpp"

namespace supn::row {
namespace {

constexpr int kBlocks = 32;  // counters at once: enough for the widest vectors, and all in L1

struct WordBlocks {
  std::uint32_t words[4][kBlocks];
};

// Philox4x32::random_words for consecutive counters, laid out for vector registers.
SUPN_INLINE void fill_words(WordBlocks& blocks, const NoiseStream& stream, std::uint64_t block) {
  const Philox4x32::Key seed = Philox4x32::key_of(stream.seed);
  const auto sample_low = static_cast<std::uint32_t>(stream.sample);
  const auto sample_high = static_cast<std::uint32_t>(stream.sample >> 32);
  for (int i = 0; i < kBlocks; ++i) {
    const std::uint64_t pixel_block = block + static_cast<std::uint64_t>(i);
    std::uint32_t c0 = static_cast<std::uint32_t>(pixel_block);
    std::uint32_t c1 = static_cast<std::uint32_t>(pixel_block >> 32);
    std::uint32_t c2 = sample_low;
    std::uint32_t c3 = sample_high;
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

// Box-Muller of one pair of words of every block: pixels `first` and `first` + 1 of each four.
template <typename T>
SUPN_INLINE void fill_pairs(T (&normals)[4 * kBlocks], const WordBlocks& blocks, int first) {
  for (int i = 0; i < kBlocks; ++i) {
    const T square = elementary::minus_two_log_uniform<T>(blocks.words[first][i]);
    const T radius = std::sqrt(square);
    const auto angle = elementary::cosine_sine_of_turn<T>(blocks.words[first + 1][i]);
    normals[4 * i + first] = radius * angle.cosine;
    normals[4 * i + first + 1] = radius * angle.sine;
  }
}

}  // namespace

template <typename T>
SUPN_KERNEL void fill_standard_normal(T* out, const NoiseStream& stream, std::int64_t count) {
  constexpr std::int64_t kChunk = 4 * kBlocks;
  for (std::int64_t done = 0; done < count; done += kChunk) {
    WordBlocks blocks;
    T normals[kChunk];
    fill_words(blocks, stream, stream.first_block + static_cast<std::uint64_t>(done / 4));
    fill_pairs(normals, blocks, 0);
    fill_pairs(normals, blocks, 2);
    std::copy_n(normals, std::min(kChunk, count - done), out + done);
  }
}

template void fill_standard_normal<float>(float*, const NoiseStream&, std::int64_t);
template void fill_standard_normal<double>(double*, const NoiseStream&, std::int64_t);

}  // namespace supn::row
