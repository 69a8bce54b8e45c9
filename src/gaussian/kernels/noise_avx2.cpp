#include "gaussian/kernels/noise_avx2.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "gaussian/kernels/avx2.hpp"
#include "gaussian/kernels/elementary.hpp"
#include "supn/gaussian/philox.hpp"

namespace supn::row::avx2 {
#ifdef SUPN_AVX2
namespace {

using Format = elementary::Format<float>;

// The four words of the counters in eight lanes, in two halves: the even lanes and the odd lanes.
// Each word has 64 bits, since a product has; of a word only the low 32 bits count, the high ones
// hold whatever the arithmetic leaves there.
struct HalfCounters {
  __m256i word[4];
};
struct Counters {
  HalfCounters even;
  HalfCounters odd;
};

struct RoundKeys {
  __m256i first[Philox4x32::kRounds];
  __m256i second[Philox4x32::kRounds];
};

SUPN_AVX2_INLINE __m256i broadcast(std::uint32_t word) {
  return _mm256_set1_epi32(std::bit_cast<std::int32_t>(word));
}

SUPN_AVX2_INLINE __m256i broadcast(std::uint64_t word) {
  return _mm256_set1_epi64x(std::bit_cast<std::int64_t>(word));
}

SUPN_AVX2_INLINE RoundKeys round_keys(std::uint64_t seed) {
  RoundKeys keys;
  Philox4x32::Key key = Philox4x32::key_of(seed);
  for (int round = 0; round < Philox4x32::kRounds; ++round) {
    keys.first[round] = broadcast(key[0]);
    keys.second[round] = broadcast(key[1]);
    key = {key[0] + Philox4x32::kWeyl0, key[1] + Philox4x32::kWeyl1};
  }
  return keys;
}

SUPN_AVX2_INLINE HalfCounters counters_of(__m256i pixel_block, __m256i sample) {
  return {{pixel_block, _mm256_srli_epi64(pixel_block, 32), sample, _mm256_srli_epi64(sample, 32)}};
}

SUPN_AVX2_INLINE void apply_round(HalfCounters& c, __m256i first_key, __m256i second_key) {
  const __m256i product0 = _mm256_mul_epu32(c.word[0], broadcast(Philox4x32::kMultiplier0));
  const __m256i product1 = _mm256_mul_epu32(c.word[2], broadcast(Philox4x32::kMultiplier1));
  const __m256i high0 = _mm256_srli_epi64(product0, 32);
  const __m256i high1 = _mm256_srli_epi64(product1, 32);
  c.word[0] = _mm256_xor_si256(high1, _mm256_xor_si256(c.word[1], first_key));
  c.word[1] = product1;
  c.word[2] = _mm256_xor_si256(high0, _mm256_xor_si256(c.word[3], second_key));
  c.word[3] = product0;
}

// (float)word, rounded once.
SUPN_AVX2_INLINE __m256 float_of_unsigned(__m256i word) {
  const __m256 high = _mm256_cvtepi32_ps(_mm256_srli_epi32(word, 16));
  const __m256 low = _mm256_cvtepi32_ps(_mm256_and_si256(word, _mm256_set1_epi32(0xFFFF)));
  return _mm256_fmadd_ps(high, _mm256_set1_ps(65536.0F), low);
}

template <std::size_t kCount>
SUPN_AVX2_INLINE __m256 polynomial(const std::array<float, kCount>& coefficients, __m256 x) {
  __m256 value = _mm256_set1_ps(coefficients[kCount - 1]);
#pragma GCC unroll 16
  for (std::size_t i = kCount - 1; i > 0; --i) {
    value = _mm256_fmadd_ps(value, x, _mm256_set1_ps(coefficients[i - 1]));
  }
  return value;
}

// elementary::minus_two_log_uniform. Of the word and its complement only one is converted.
SUPN_AVX2_INLINE __m256 minus_two_log_uniform(__m256i word) {
  constexpr auto kSeries = elementary::artanh_series<float, Format::kLogTerms>();
  const __m256i sign = _mm256_set1_epi32(std::bit_cast<std::int32_t>(0x80000000U));
  const __m256i below_root_half = broadcast(0xB504F332U ^ 0x80000000U);
  const __m256i near_one = _mm256_cmpgt_epi32(_mm256_xor_si256(word, sign), below_root_half);
  const __m256i converted = _mm256_xor_si256(word, near_one);
  const __m256 u = _mm256_fmadd_ps(
      float_of_unsigned(converted), _mm256_set1_ps(0x1p-32F), _mm256_set1_ps(0x1p-33F));
  constexpr auto kRootHalf = std::bit_cast<std::int32_t>(0.70710678118654752440F);
  const __m256i bits = _mm256_castps_si256(u);
  const __m256i exponent =
      _mm256_srai_epi32(_mm256_sub_epi32(bits, _mm256_set1_epi32(kRootHalf)), Format::kFraction);
  const __m256 mantissa =
      _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(exponent, Format::kFraction)));
  const __m256 minus_u = _mm256_xor_ps(u, _mm256_castsi256_ps(sign));
  const __m256 f = _mm256_blendv_ps(
      _mm256_sub_ps(mantissa, _mm256_set1_ps(1.0F)), minus_u, _mm256_castsi256_ps(near_one));
  const __m256 e = _mm256_cvtepi32_ps(_mm256_andnot_si256(near_one, exponent));
  const __m256 s = _mm256_div_ps(f, _mm256_add_ps(_mm256_set1_ps(2.0F), f));
  const __m256 log_mantissa = _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(2.0F), s),
                                            polynomial(kSeries, _mm256_mul_ps(s, s)));
  const __m256 log2 = _mm256_set1_ps(0.693147180559945309417232121458F);
  return _mm256_mul_ps(_mm256_set1_ps(-2.0F), _mm256_fmadd_ps(e, log2, log_mantissa));
}

struct CosineSine {
  __m256 cosine;
  __m256 sine;
};

// elementary::cosine_sine_of_turn.
SUPN_AVX2_INLINE CosineSine cosine_sine_of_turn(__m256i word) {
  constexpr auto kSine = elementary::factorial_series<float, Format::kCircularTerms>(1, 2, -1);
  constexpr auto kCosine = elementary::factorial_series<float, Format::kCircularTerms>(0, 2, -1);
  constexpr auto kRadians = static_cast<float>(6.283185307179586476925286766559 * 0x1p-32);
  const __m256i quarter =
      _mm256_srli_epi32(_mm256_add_epi32(word, _mm256_set1_epi32(0x20000000)), 30);
  const __m256i rest = _mm256_sub_epi32(word, _mm256_slli_epi32(quarter, 30));
  const __m256 angle = _mm256_mul_ps(_mm256_cvtepi32_ps(rest), _mm256_set1_ps(kRadians));
  const __m256 square = _mm256_mul_ps(angle, angle);
  const __m256 sine = _mm256_mul_ps(angle, polynomial(kSine, square));
  const __m256 cosine = polynomial(kCosine, square);
  const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(quarter, 31));
  const __m256i two = _mm256_set1_epi32(2);
  const __m256i next = _mm256_add_epi32(quarter, _mm256_set1_epi32(1));
  const __m256i first_sign = _mm256_slli_epi32(_mm256_and_si256(next, two), 30);
  const __m256i second_sign = _mm256_slli_epi32(_mm256_and_si256(quarter, two), 30);
  return {_mm256_xor_ps(_mm256_blendv_ps(cosine, sine, odd), _mm256_castsi256_ps(first_sign)),
          _mm256_xor_ps(_mm256_blendv_ps(sine, cosine, odd), _mm256_castsi256_ps(second_sign))};
}

// normals[j], lane i: pixel j of the block that counter i stands for.
SUPN_AVX2_INLINE void fill_normals(__m256 (&normals)[4], const RoundKeys& keys, Counters c) {
#pragma GCC unroll 10
  for (int round = 0; round < Philox4x32::kRounds; ++round) {
    apply_round(c.even, keys.first[round], keys.second[round]);
    apply_round(c.odd, keys.first[round], keys.second[round]);
  }
  __m256i words[4];
  for (int j = 0; j < 4; ++j) {
    words[j] = _mm256_blend_epi32(c.even.word[j], _mm256_slli_epi64(c.odd.word[j], 32), 0xAA);
  }
  for (int j = 0; j < 4; j += 2) {
    const __m256 radius = _mm256_sqrt_ps(minus_two_log_uniform(words[j]));
    const CosineSine angle = cosine_sine_of_turn(words[j + 1]);
    normals[j] = _mm256_mul_ps(radius, angle.cosine);
    normals[j + 1] = _mm256_mul_ps(radius, angle.sine);
  }
}

// base + 0, 2, 4, 6 and base + 1, 3, 5, 7.
SUPN_AVX2_INLINE __m256i even_from(std::uint64_t base) {
  return _mm256_add_epi64(broadcast(base), _mm256_set_epi64x(6, 4, 2, 0));
}
SUPN_AVX2_INLINE __m256i odd_from(std::uint64_t base) {
  return _mm256_add_epi64(broadcast(base), _mm256_set_epi64x(7, 5, 3, 1));
}

// out[4·i + j] = normals[j][i].
SUPN_AVX2_INLINE void store_in_order(float* out, const __m256 (&normals)[4]) {
  const __m256 low01 = _mm256_unpacklo_ps(normals[0], normals[1]);
  const __m256 high01 = _mm256_unpackhi_ps(normals[0], normals[1]);
  const __m256 low23 = _mm256_unpacklo_ps(normals[2], normals[3]);
  const __m256 high23 = _mm256_unpackhi_ps(normals[2], normals[3]);
  const __m256 block04 = _mm256_shuffle_ps(low01, low23, 0x44);
  const __m256 block15 = _mm256_shuffle_ps(low01, low23, 0xEE);
  const __m256 block26 = _mm256_shuffle_ps(high01, high23, 0x44);
  const __m256 block37 = _mm256_shuffle_ps(high01, high23, 0xEE);
  _mm256_storeu_ps(out, _mm256_permute2f128_ps(block04, block15, 0x20));
  _mm256_storeu_ps(out + 8, _mm256_permute2f128_ps(block26, block37, 0x20));
  _mm256_storeu_ps(out + 16, _mm256_permute2f128_ps(block04, block15, 0x31));
  _mm256_storeu_ps(out + 24, _mm256_permute2f128_ps(block26, block37, 0x31));
}

}  // namespace

SUPN_AVX2 void fill_standard_normal(float* out, const NoiseStream& stream, std::int64_t count) {
  constexpr std::int64_t kChunk = 32;
  const RoundKeys keys = round_keys(stream.seed);
  const __m256i sample = broadcast(stream.sample);
  for (std::int64_t done = 0; done < count; done += kChunk) {
    const std::uint64_t block = stream.first_block + static_cast<std::uint64_t>(done / 4);
    __m256 normals[4];
    fill_normals(normals,
                 keys,
                 {counters_of(even_from(block), sample), counters_of(odd_from(block), sample)});
    if (count - done >= kChunk) {
      store_in_order(out + done, normals);
    } else {
      float in_order[kChunk];
      store_in_order(in_order, normals);
      std::copy_n(in_order, count - done, out + done);
    }
  }
}

SUPN_AVX2 void fill_standard_normal_lanes(float* out,
                                          const NoiseStream& stream,
                                          std::int64_t blocks,
                                          std::int64_t lanes) {
  const RoundKeys keys = round_keys(stream.seed);
  for (std::int64_t i = 0; i < blocks; ++i) {
    const __m256i block = broadcast(stream.first_block + static_cast<std::uint64_t>(i));
    for (std::int64_t lane = 0; lane < lanes; lane += 8) {
      const std::uint64_t sample = stream.sample + static_cast<std::uint64_t>(lane);
      __m256 normals[4];
      fill_normals(normals,
                   keys,
                   {counters_of(block, even_from(sample)), counters_of(block, odd_from(sample))});
      for (std::int64_t j = 0; j < 4; ++j) {
        _mm256_storeu_ps(out + (4 * i + j) * lanes + lane, normals[j]);
      }
    }
  }
}

#else

void fill_standard_normal(float*, const NoiseStream&, std::int64_t) {}
void fill_standard_normal_lanes(float*, const NoiseStream&, std::int64_t, std::int64_t) {}

#endif

}  // namespace supn::row::avx2
