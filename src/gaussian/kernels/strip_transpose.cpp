#include "gaussian/kernels/avx2.hpp"
#include "gaussian/kernels/strip_kernels.hpp"

namespace supn::strip {
#ifdef SUPN_AVX2
namespace {

// Eight rows of eight columns.
SUPN_AVX2_INLINE void load_square(__m256 (&square)[8], const float* const* rows, std::int64_t x) {
  for (int i = 0; i < 8; ++i) square[i] = _mm256_loadu_ps(rows[i] + x);
}

// From the last column on, as images are read when they are solved backwards: what the processor
// fetches by itself beyond a stretch is then of use.
SUPN_AVX2_INLINE void copy(float* to, const float* from, std::int64_t columns) {
  std::int64_t x = columns;
  for (; x >= 8; x -= 8) _mm256_storeu_ps(to + x - 8, _mm256_loadu_ps(from + x - 8));
  for (; x > 0; --x) to[x - 1] = from[x - 1];
}

// columns is a multiple of 16, `to` on a cache line.
SUPN_AVX2_INLINE void stream(float* to, const float* from, std::int64_t columns) {
  for (std::int64_t x = 0; x < columns; x += 8) _mm256_stream_ps(to + x, _mm256_load_ps(from + x));
}

SUPN_AVX2_INLINE void add(float* values, const float* mean, std::int64_t columns) {
  std::int64_t x = 0;
  for (; x + 8 <= columns; x += 8) {
    _mm256_storeu_ps(values + x,
                     _mm256_add_ps(_mm256_loadu_ps(mean + x), _mm256_loadu_ps(values + x)));
  }
  for (; x < columns; ++x) values[x] = mean[x] + values[x];
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
  // Sample after sample: memory is quick in long stretches only.
  alignas(64) float lines[kLanes][kColumns];
  const float* rows[kLanes];
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    copy(lines[lane], from[lane], columns);
    rows[lane] = lines[lane];
  }
  std::int64_t x = 0;
  for (; x + 8 <= columns; x += 8) {
    __m256 square[8];
    load_square(square, rows, x);
    transpose_square(square);
    for (int i = 0; i < 8; ++i) _mm256_storeu_ps(to + (x + i) * kLanes, square[i]);
  }
  for (; x < columns; ++x) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) to[x * kLanes + lane] = lines[lane][x];
  }
}

SUPN_AVX2 void deinterleave(
    float* const* to, const float* from, const float* mean, std::int64_t columns, Store store) {
  alignas(64) float lines[kLanes][kColumns];
  std::int64_t x = 0;
  for (; x + 8 <= columns; x += 8) transpose_to_rows(lines[0] + x, kColumns, from + x * kLanes);
  for (; x < columns; ++x) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lines[lane][x] = from[x * kLanes + lane];
  }
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    if (mean != nullptr) add(lines[lane], mean, columns);
    if (store == Store::kPastCaches) {
      stream(to[lane], lines[lane], columns);
    } else {
      copy(to[lane], lines[lane], columns);
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
