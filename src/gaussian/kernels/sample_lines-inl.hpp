// Pieces of image rows of some samples, one in each lane: in memory order to [column][lane] and
// back. Included once per instruction set.
#include <hwy/cache_control.h>

#include "gaussian/kernels/simd-inl.hpp"
#include "gaussian/kernels/substitution.hpp"

#if defined(SUPN_SAMPLE_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_SAMPLE_LINES_INL
#undef SUPN_SAMPLE_LINES_INL
#else
#define SUPN_SAMPLE_LINES_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

inline constexpr std::int64_t kColumns = 128;  // of a piece, at most

template <class D>
inline constexpr std::int64_t kLanesOf = static_cast<std::int64_t>(hn::MaxLanes(D()));

// A piece of each lane's row.
template <class D>
struct Lines {
  HWY_ALIGN hn::TFromD<D> values[kLanesOf<D>][kColumns];
};

// Copies from the last column on, as images are read when they are solved backwards: what the
// processor fetches by itself beyond a stretch is then of use.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void copy(D d, T* to, const T* from, std::int64_t columns) {
  constexpr std::int64_t kLanes = kLanesOf<D>;
  std::int64_t x = columns;
  for (; x >= kLanes; x -= kLanes) {
    hn::StoreU(hn::LoadU(d, from + x - kLanes), d, to + x - kLanes);
    asm volatile("" ::: "memory");  // else it becomes a memmove, forwards
  }
  for (; x > 0; --x) to[x - 1] = from[x - 1];
}

// to[x][lane] = from[lane][x], x < columns.
template <class D, typename T = hn::TFromD<D>>
void interleave(D d, T* to, const T* const* from, std::int64_t columns) {
  constexpr std::int64_t kLanes = kLanesOf<D>;
  // Samples are read one after the other: memory is quick in long stretches only.
  Lines<D> lines;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    copy(d, lines.values[lane], from[lane], columns);
  }
  std::int64_t x = 0;
  for (; x + kLanes <= columns; x += kLanes) {
    hn::VFromD<D> square[kLanes];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kLanes; ++i) square[i] = hn::Load(d, lines.values[i] + x);
    transpose(d, square);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kLanes; ++i) hn::Store(square[i], d, to + (x + i) * kLanes);
  }
  for (; x < columns; ++x) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      to[x * kLanes + lane] = lines.values[lane][x];
    }
  }
}

// to[lane][x] = from[x][lane], plus mean[x] unless that is null.
template <class D, typename T = hn::TFromD<D>>
void deinterleave(
    D d, T* const* to, const T* from, const T* mean, std::int64_t columns, Store store) {
  constexpr std::int64_t kLanes = kLanesOf<D>;
  Lines<D> lines;
  std::int64_t x = 0;
  for (; x + kLanes <= columns; x += kLanes) {
    hn::VFromD<D> square[kLanes];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kLanes; ++i) square[i] = hn::LoadU(d, from + (x + i) * kLanes);
    transpose(d, square);
    const auto shift = mean == nullptr ? hn::Zero(d) : hn::LoadU(d, mean + x);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kLanes; ++i) {
      hn::Store(mean == nullptr ? square[i] : hn::Add(shift, square[i]), d, lines.values[i] + x);
    }
  }
  for (; x < columns; ++x) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const T value = from[x * kLanes + lane];
      lines.values[lane][x] = mean == nullptr ? value : mean[x] + value;
    }
  }
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    if (store == Store::kPastCaches) {
      for (x = 0; x < columns; x += kLanes) {
        hn::Stream(hn::Load(d, lines.values[lane] + x), d, to[lane] + x);
      }
    } else {
      copy(d, to[lane], lines.values[lane], columns);
    }
  }
}

// sums[lane] += Σ_x field[x][lane]² in f64, from the first column on.
template <class D, typename T = hn::TFromD<D>>
void add_squares(D, double* sums, const T* field, std::int64_t columns) {
  constexpr std::int64_t kLanes = kLanesOf<D>;
  const Tag<double, kLanes> d64;
  const hn::Rebind<T, decltype(d64)> d;
  constexpr std::int64_t kAtOnce = kLanesOf<decltype(d64)>;
  constexpr std::int64_t kParts = kLanes / kAtOnce;
  hn::VFromD<decltype(d64)> sum[kParts];
  for (std::int64_t i = 0; i < kParts; ++i) sum[i] = hn::LoadU(d64, sums + i * kAtOnce);
  for (std::int64_t x = 0; x < columns; ++x) {
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kParts; ++i) {
      const auto value = hn::LoadU(d, field + x * kLanes + i * kAtOnce);
      if constexpr (sizeof(T) == 8) {
        sum[i] = fused(value, value, sum[i]);
      } else {
        const auto wide = hn::PromoteTo(d64, value);
        sum[i] = fused(wide, wide, sum[i]);
      }
    }
  }
  for (std::int64_t i = 0; i < kParts; ++i) hn::StoreU(sum[i], d64, sums + i * kAtOnce);
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
