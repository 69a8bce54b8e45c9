// Functions written for AVX2 with FMA where a compiler's vectors fall short: products of 32-bit
// integers, sliding windows kept in registers, transpositions. Each has a portable form beside it
// with the same operations in the same order, hence the same bits; the form is chosen at run time.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define SUPN_AVX2 __attribute__((target("avx2,fma")))
#define SUPN_AVX2_INLINE inline __attribute__((always_inline, target("avx2,fma")))
#include <immintrin.h>
#endif

namespace supn {

inline bool processor_has_avx2() {
#ifdef SUPN_AVX2
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
#else
  return false;
#endif
}

#ifdef SUPN_AVX2
// The square columns[j][i] = rows[i][j] in place.
SUPN_AVX2_INLINE void transpose_square(__m256 (&rows)[8]) {
  __m256 pairs[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
  }
  __m256 fours[8];
  for (int i = 0; i < 8; i += 4) {
    fours[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
    fours[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xEE);
    fours[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
    fours[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    rows[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
    rows[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
  }
}
#endif

}  // namespace supn
