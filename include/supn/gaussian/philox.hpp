// Philox4x32-10 is the counter-based generator of Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3" (SC 2011): ten rounds of multiplications turn a 128-bit counter and a 64-bit key into
// four uniform 32-bit words. It has no state: the same counter and key give the same words
// anywhere. Checked against the known-answer vectors of the Random123 library.
#pragma once

#include <array>
#include <cstdint>

namespace supn {

struct Philox4x32 {
  using Words = std::array<std::uint32_t, 4>;
  using Key = std::array<std::uint32_t, 2>;

  static constexpr int kRounds = 10;
  static constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
  static constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
  static constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
  static constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // √3 − 1

  static constexpr Words random_words(Words counter, Key key) {
    for (int round = 0; round < kRounds; ++round) {
      const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
      const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
      counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
                 static_cast<std::uint32_t>(product1),
                 static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
                 static_cast<std::uint32_t>(product0)};
      key = {key[0] + kWeyl0, key[1] + kWeyl1};
    }
    return counter;
  }

  static constexpr Key key_of(std::uint64_t seed) {
    return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  }

  // low and high are the 64-bit halves of the counter.
  static constexpr Words counter_of(std::uint64_t low, std::uint64_t high) {
    return {static_cast<std::uint32_t>(low),
            static_cast<std::uint32_t>(low >> 32),
            static_cast<std::uint32_t>(high),
            static_cast<std::uint32_t>(high >> 32)};
  }
};

}  // namespace supn
