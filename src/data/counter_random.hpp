// Uniform numbers that are a function of (seed, epoch, purpose, index) and of how many were drawn
// before: Philox4x32-10 with key = seed, counter = (index, block, epoch and purpose).
#pragma once

#include <cstdint>

#include "supn/gaussian/philox.hpp"

namespace supn {

// Keeps draws for different ends apart.
enum class RandomPurpose : std::uint64_t { kAugmentation = 1, kShuffle = 2 };

struct RandomStream {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  RandomPurpose purpose = RandomPurpose::kAugmentation;
};

class CounterRandom {
 public:
  CounterRandom(const RandomStream& stream, std::int64_t index) : stream_(stream), index_(index) {}

  // Returns a multiple of 2⁻³² in [0, 1).
  double uniform() {
    if (used_ == words_.size()) refill();
    return static_cast<double>(words_[used_++]) * 0x1p-32;
  }

 private:
  void refill() {
    const auto index = static_cast<std::uint64_t>(index_);
    const std::uint64_t block_and_purpose =
        block_++ << 8 | static_cast<std::uint64_t>(stream_.purpose);
    words_ = Philox4x32::random_words({static_cast<std::uint32_t>(index),
                                       static_cast<std::uint32_t>(index >> 32),
                                       static_cast<std::uint32_t>(stream_.epoch),
                                       static_cast<std::uint32_t>(block_and_purpose)},
                                      Philox4x32::key_of(stream_.seed));
    used_ = 0;
  }

  RandomStream stream_;
  std::int64_t index_;
  std::uint64_t block_ = 0;
  Philox4x32::Words words_{};
  std::size_t used_ = 4;
};

}  // namespace supn
