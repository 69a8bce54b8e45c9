#include "avx2.hpp"
#include "strip_kernels.hpp"

namespace supn::strip {
#ifdef SUPN_AVX2
namespace {

// Eight rows of eight columns.
SUPN_AVX2_INLINE void load_square(__m256 (&square)[8], const float* const* rows, std::int64_t x) {
  for (int i = 0; i < 8; ++i) square[i] = _mm256_loadu_ps(rows[i] + x);
}

// from [8][8] as rows of `to`, each `pitch` elements on.
SUPN_AVX2_INLINE void transpose_to_rows(float* to, std::int64_t pitch, const float* from) {
  __m256 square[8];
  for (int i = 0; i < 8; ++i) square[i] = _mm256_loadu_ps(from + i * kLanes);
  transpose_square(square);
  for (int i = 0; i < 8; ++i) _mm256_storeu_ps(to + i * pitch, square[i]);
}

}  // namespace

SUPN_AVX2 void add_squares(double* sums, const float* field, std::int64_t columns) {
  __m256d low = _mm256_loadu_pd(sums);
  __m256d high = _mm256_loadu_pd(sums + 4);
  for (std::int64_t x = 0; x < columns; ++x) {
    const __m256d first = _mm256_cvtps_pd(_mm_loadu_ps(field + x * kLanes));
    const __m256d second = _mm256_cvtps_pd(_mm_loadu_ps(field + x * kLanes + 4));
    low = _mm256_fmadd_pd(first, first, low);
    high = _mm256_fmadd_pd(second, second, high);
  }
  _mm256_storeu_pd(sums, low);
  _mm256_storeu_pd(sums + 4, high);
}

SUPN_AVX2 void interleave(float* to, const float* const* from, std::int64_t columns) {
  std::int64_t x = 0;
  for (; x + 8 <= columns; x += 8) {
    __m256 square[8];
    load_square(square, from, x);
    transpose_square(square);
    for (int i = 0; i < 8; ++i) _mm256_storeu_ps(to + (x + i) * kLanes, square[i]);
  }
  for (; x < columns; ++x) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) to[x * kLanes + lane] = from[lane][x];
  }
}

SUPN_AVX2 void deinterleave(
    float* const* to, const float* from, const float* mean, std::int64_t columns, Store store) {
  constexpr std::int64_t kLine = 16;
  alignas(64) float lines[kLanes * kLine];
  const __m256 zero = _mm256_set1_ps(-0.0F);
  std::int64_t x = 0;
  for (; x + kLine <= columns; x += kLine) {
    transpose_to_rows(lines, kLine, from + x * kLanes);
    transpose_to_rows(lines + 8, kLine, from + (x + 8) * kLanes);
    const __m256 left = mean == nullptr ? zero : _mm256_loadu_ps(mean + x);
    const __m256 right = mean == nullptr ? zero : _mm256_loadu_ps(mean + x + 8);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const __m256 first = _mm256_add_ps(left, _mm256_load_ps(lines + lane * kLine));
      const __m256 second = _mm256_add_ps(right, _mm256_load_ps(lines + lane * kLine + 8));
      float* out = to[lane] + x;
      if (store == Store::kPastCaches) {
        _mm256_stream_ps(out, first);
        _mm256_stream_ps(out + 8, second);
      } else {
        _mm256_storeu_ps(out, first);
        _mm256_storeu_ps(out + 8, second);
      }
    }
  }
  for (; x < columns; ++x) {
    const float shift = mean == nullptr ? -0.0F : mean[x];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      to[lane][x] = shift + from[x * kLanes + lane];
    }
  }
}

void finish_stores() { _mm_sfence(); }

#else

void add_squares(double*, const float*, std::int64_t) {}
void interleave(float*, const float* const*, std::int64_t) {}
void deinterleave(float* const*, const float*, const float*, std::int64_t, Store) {}
void finish_stores() {}

#endif

}  // namespace supn::strip
