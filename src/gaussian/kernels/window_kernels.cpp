#include "gaussian/kernels/window_kernels.hpp"

#include "gaussian/kernels/instruction_sets.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SUPN_AVX2_TRANSPOSE
#endif

namespace supn::window {
namespace {

constexpr std::int64_t kLine = 8;        // words
constexpr std::int64_t kRowsAhead = 12;  // that are fetched before they are needed

SUPN_INLINE void fetch_for_reading(const double* row) {
  for (std::int64_t i = 0; i < kLanes; i += kLine) __builtin_prefetch(row + i, 0);
}
SUPN_INLINE void fetch_for_writing(const double* row) {
  for (std::int64_t i = 0; i < kLanes; i += kLine) __builtin_prefetch(row + i, 1);
}

// Fixed radius: the lanes' loop holds one straight line of multiply-adds, sums stay in registers.
template <std::int64_t kRadius>
SUPN_INLINE void regress_fixed(const Regression& r, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t kSide = 2 * kRadius + 1;
  constexpr std::int64_t kCount = 2 * kRadius * (kRadius + 1);
  const double* later[kRadius];
  for (std::int64_t dy = 0; dy < kRadius; ++dy) later[dy] = r.later[dy];
  for (std::int64_t x = last; x >= first; --x) {
    double w[kCount];
    for (std::int64_t k = 0; k < kCount; ++k) w[k] = r.weights[x * kCount + k];
    double* own = r.own + x * kLanes;
    for (const double* rows : later) fetch_for_reading(rows + (x - kRadius - kRowsAhead) * kLanes);
    fetch_for_writing(r.destination + (x - first) * kLanes);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      double value = 0.0;
#pragma GCC unroll 8
      for (std::int64_t dy = kRadius; dy >= 1; --dy) {
#pragma GCC unroll 16
        for (std::int64_t dx = -kRadius; dx <= kRadius; ++dx) {
          value = fused_multiply_add(w[kRadius + (dy - 1) * kSide + dx + kRadius],
                                     later[dy - 1][(x + dx) * kLanes + lane],
                                     value);
        }
      }
#pragma GCC unroll 8
      for (std::int64_t dx = kRadius; dx >= 1; --dx) {
        value = fused_multiply_add(w[dx - 1], own[dx * kLanes + lane], value);
      }
      own[lane] = value;
    }
  }
}

SUPN_INLINE void add_row(double* sum, double weight, const double* row) {
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    sum[lane] = fused_multiply_add(weight, row[lane], sum[lane]);
  }
}

SUPN_INLINE void regress_any(const Regression& r, std::int64_t first, std::int64_t last) {
  const std::int64_t side = 2 * r.radius + 1;
  const std::int64_t count = 2 * r.radius * (r.radius + 1);
  for (std::int64_t x = last; x >= first; --x) {
    const double* w = r.weights + x * count;
    double* own = r.own + x * kLanes;
    double sum[kLanes] = {};
    for (std::int64_t dy = r.radius; dy >= 1; --dy) {
      for (std::int64_t dx = -r.radius; dx <= r.radius; ++dx) {
        const std::int64_t k = r.radius + (dy - 1) * side + dx + r.radius;
        add_row(sum, w[k], r.later[dy - 1] + (x + dx) * kLanes);
      }
    }
    for (std::int64_t dx = r.radius; dx >= 1; --dx) add_row(sum, w[dx - 1], own + dx * kLanes);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) own[lane] = sum[lane];
  }
}

#ifdef SUPN_AVX2_TRANSPOSE
// In squares of 4 × 4, which compilers do not find by themselves.
__attribute__((target("avx2"))) void transpose_avx2(const double* from, double* to) {
  for (std::int64_t i = 0; i < kLanes; i += 4) {
    for (std::int64_t j = 0; j < kLanes; j += 4) {
      const double* in = from + j * kLanes + i;
      double* out = to + i * kLanes + j;
      const __m256d a = _mm256_loadu_pd(in);
      const __m256d b = _mm256_loadu_pd(in + kLanes);
      const __m256d c = _mm256_loadu_pd(in + 2 * kLanes);
      const __m256d d = _mm256_loadu_pd(in + 3 * kLanes);
      const __m256d ab_even = _mm256_unpacklo_pd(a, b);
      const __m256d ab_odd = _mm256_unpackhi_pd(a, b);
      const __m256d cd_even = _mm256_unpacklo_pd(c, d);
      const __m256d cd_odd = _mm256_unpackhi_pd(c, d);
      _mm256_storeu_pd(out, _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
      _mm256_storeu_pd(out + kLanes, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
      _mm256_storeu_pd(out + 2 * kLanes, _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
      _mm256_storeu_pd(out + 3 * kLanes, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
    }
  }
}
#endif

}  // namespace

SUPN_KERNEL void regress(const Regression& regression, std::int64_t first, std::int64_t last) {
  if (regression.radius == 1) return regress_fixed<1>(regression, first, last);
  if (regression.radius == 2) return regress_fixed<2>(regression, first, last);
  regress_any(regression, first, last);
}

void transpose(const double* __restrict from, double* __restrict to) {
#ifdef SUPN_AVX2_TRANSPOSE
  if (__builtin_cpu_supports("avx2")) return transpose_avx2(from, to);
#endif
  for (std::int64_t i = 0; i < kLanes; ++i) {
    for (std::int64_t j = 0; j < kLanes; ++j) to[i * kLanes + j] = from[j * kLanes + i];
  }
}

}  // namespace supn::window
