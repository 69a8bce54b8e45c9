#include "gaussian/kernels/regression.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/regression.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/factor_view.hpp"
#include "gaussian/kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

using window::kLanes;
using window::Regression;

inline constexpr auto kInVector = static_cast<std::int64_t>(hn::MaxLanes(FullTag<double>()));
inline constexpr std::int64_t kVectors = kLanes / kInVector;
inline constexpr std::int64_t kRowsAhead = 12;  // that are fetched before they are needed

// A row of a panel.
struct Sums {
  HWY_INLINE void add(double weight, const double* row) {
    const FullTag<double> d;
    const auto broadcast = hn::Set(d, weight);
    for (std::int64_t v = 0; v < kVectors; ++v) {
      vectors[v] = fused(broadcast, hn::LoadU(d, row + v * kInVector), vectors[v]);
    }
  }
  hn::VFromD<FullTag<double>> vectors[kVectors];
};

HWY_INLINE void fetch(const Regression& r,
                      std::int64_t radius,
                      std::int64_t x,
                      const double* destination) {
  constexpr std::int64_t kLine = 8;  // words
  for (std::int64_t i = 0; i < kLanes; i += kLine) {
    for (std::int64_t dy = 0; dy < radius; ++dy) {
      __builtin_prefetch(r.later[dy] + (x - radius - kRowsAhead) * kLanes + i, 0);
    }
    __builtin_prefetch(destination + i, 1);
  }
}

// kRadius 0 is as large as the regression says. Sums stay in registers.
template <std::int64_t kRadius>
HWY_INLINE void regress_rows(const Regression& r, std::int64_t first, std::int64_t last) {
  const FullTag<double> d;
  const std::int64_t radius = kRadius > 0 ? kRadius : r.radius;
  for (std::int64_t x = last; x >= first; --x) {
    const double* w = r.weights + x * tap_count(radius);
    double* own = r.own + x * kLanes;
    fetch(r, radius, x, r.destination + (x - first) * kLanes);
    Sums sums;
    for (auto& sum : sums.vectors) sum = hn::Zero(d);
#pragma GCC unroll 2
    for (std::int64_t dy = radius; dy >= 1; --dy) {
#pragma GCC unroll 5
      for (std::int64_t dx = -radius; dx <= radius; ++dx) {
        sums.add(w[channel(radius, {dy, dx})], r.later[dy - 1] + (x + dx) * kLanes);
      }
    }
#pragma GCC unroll 2
    for (std::int64_t dx = radius; dx >= 1; --dx) {
      sums.add(w[channel(radius, {0, dx})], own + dx * kLanes);
    }
    for (std::int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums.vectors[v], d, own + v * kInVector);
    }
  }
}

void regress_panel(const Regression& regression, std::int64_t first, std::int64_t last) {
  if (regression.radius == 1) return regress_rows<1>(regression, first, last);
  if (regression.radius == 2) return regress_rows<2>(regression, first, last);
  regress_rows<0>(regression, first, last);
}

void transpose_panel(const double* from, double* to) {
  const FullTag<double> d;
  for (std::int64_t i = 0; i < kLanes; i += kInVector) {
    for (std::int64_t j = 0; j < kLanes; j += kInVector) {
      hn::VFromD<FullTag<double>> rows[kInVector];
#pragma GCC unroll 8
      for (std::int64_t k = 0; k < kInVector; ++k) {
        rows[k] = hn::LoadU(d, from + (j + k) * kLanes + i);
      }
      transpose(d, rows);
#pragma GCC unroll 8
      for (std::int64_t k = 0; k < kInVector; ++k) {
        hn::StoreU(rows[k], d, to + (i + k) * kLanes + j);
      }
    }
  }
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn {

HWY_EXPORT(regress_panel);
HWY_EXPORT(transpose_panel);

void window::regress(const Regression& regression, std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(regress_panel)(regression, first, last);
}

void window::transpose(const double* from, double* to) {
  HWY_DYNAMIC_DISPATCH(transpose_panel)(from, to);
}

}  // namespace supn
#endif
