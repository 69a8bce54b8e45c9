#include "gaussian/kernels/rows.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/rows.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/elementary-inl.hpp"
#include "gaussian/kernels/row_terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

using row::FactorRow;

template <Side kSide, Sign kSign, Terms kTerms, typename T, class Start, class Finish>
HWY_INLINE void run_terms(const FactorRow<T>& row, const Start& start, const Finish& finish) {
  if (row.view.radius == 1) return RowTerms<kSide, 1, kSign, kTerms, T>(row).run(start, finish);
  if (row.view.radius == 2) return RowTerms<kSide, 2, kSign, kTerms, T>(row).run(start, finish);
  RowTerms<kSide, 0, kSign, kTerms, T>(row).run(start, finish);
}

template <Side kSide, typename T>
void product(T* z, const FactorRow<T>& row) {
  run_terms<kSide, Sign::kAdd, Terms::kAll>(
      row,
      [](auto d, std::int64_t) SUPN_LAMBDA { return hn::Zero(d); },
      [&](auto d, std::int64_t x, auto sum) SUPN_LAMBDA {
        const auto diagonal = hn::LoadU(d, row.diagonal + x);
        hn::StoreU(fused(diagonal, hn::LoadU(d, row.field + x), sum), d, z + x);
      });
}

template <typename T>
void sweep(T* z, const T* b, const FactorRow<T>& row) {
  run_terms<Side::kLater, Sign::kSubtract, Terms::kAll>(
      row,
      [&](auto d, std::int64_t x) SUPN_LAMBDA { return hn::LoadU(d, b + x); },
      [&](auto d, std::int64_t x, auto left)
          SUPN_LAMBDA { hn::StoreU(hn::Mul(left, hn::LoadU(d, row.diagonal + x)), d, z + x); });
}

// The chain along the row, whose last solutions stay in registers for a fixed radius.
template <Side kSide, std::int64_t kRadius, typename T>
HWY_INLINE void run_chain(T* z, const FactorRow<T>& row) {
  const std::int64_t radius = kRadius > 0 ? kRadius : row.view.radius;
  const std::int64_t width = row.view.width;
  T last[std::max<std::int64_t>(1, kRadius)] = {};  // nearest first
  for (std::int64_t i = 0; i < width; ++i) {
    const std::int64_t x = kSide == Side::kLater ? width - 1 - i : i;
    T value = z[x];
#pragma GCC unroll 2
    for (std::int64_t dx = radius; dx >= 1; --dx) {
      if (dx > i) continue;
      const T* own = coefficients<kSide>(row.view, {0, dx}, row.y);
      value = std::fma(-own[x], kRadius > 0 ? last[dx - 1] : z[x + kStep<kSide> * dx], value);
    }
    z[x] = value * row.diagonal[x];
    for (std::int64_t k = kRadius - 1; k > 0; --k) last[k] = last[k - 1];
    last[0] = z[x];
  }
}

template <Side kSide, typename T>
void substitute(T* z, const T* b, const FactorRow<T>& row) {
  run_terms<kSide, Sign::kSubtract, Terms::kOtherRows>(
      row,
      [&](auto d, std::int64_t x) SUPN_LAMBDA { return hn::LoadU(d, b + x); },
      [&](auto d, std::int64_t x, auto left) SUPN_LAMBDA { hn::StoreU(left, d, z + x); });
  if (row.view.radius == 1) return run_chain<kSide, 1>(z, row);
  if (row.view.radius == 2) return run_chain<kSide, 2>(z, row);
  run_chain<kSide, 0>(z, row);
}

template <typename T>
void add_products(T* acc, const T* a, const T* b, std::int64_t count) {
  const auto add = [](auto u, auto v, auto w) SUPN_LAMBDA { return fused(u, v, w); };
  for_each_element(acc, count, add, a, b, acc);
}

template <typename T>
void subtract_products(T* acc, const T* a, const T* b, std::int64_t count) {
  const auto subtract = [](auto u, auto v, auto w) SUPN_LAMBDA { return fused_minus(u, v, w); };
  for_each_element(acc, count, subtract, a, b, acc);
}

template <typename T>
void multiply(T* acc, const T* a, std::int64_t count) {
  for_each_element(
      acc, count, [](auto u, auto v) SUPN_LAMBDA { return hn::Mul(u, v); }, acc, a);
}

template <typename T>
void subtract(T* out, const T* a, const T* b, std::int64_t count) {
  for_each_element(
      out, count, [](auto u, auto v) SUPN_LAMBDA { return hn::Sub(u, v); }, a, b);
}

template <typename T>
void exponentiate(T* out, const T* x, T sign, std::int64_t count) {
  const FullTag<T> d;
  const auto power = [=](auto v)
                         SUPN_LAMBDA { return exponential(d, hn::Mul(hn::Set(d, sign), v)); };
  for_each_element(out, count, power, x);
}

enum class Power { kFirst, kSecond };

template <Power kPower, class V>
HWY_INLINE V added(V sum, V value) {
  return kPower == Power::kSecond ? fused(value, value, sum) : hn::Add(sum, value);
}

template <Power kPower, typename T>
double summed(const T* x, std::int64_t count) {
  const Tag<double, 8> d64;
  const hn::Rebind<T, decltype(d64)> d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag<double, 8>()));
  hn::VFromD<decltype(d64)> sums[8 / kLanes];
  for (auto& sum : sums) sum = hn::Zero(d64);
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < 8 / kLanes; ++v) {
      const auto value = hn::LoadU(d, x + i + v * kLanes);
      if constexpr (sizeof(T) == 8) {
        sums[v] = added<kPower>(sums[v], value);
      } else {
        sums[v] = added<kPower>(sums[v], hn::PromoteTo(d64, value));
      }
    }
  }
  double lanes[8];
  for (std::int64_t v = 0; v < 8 / kLanes; ++v) hn::StoreU(sums[v], d64, lanes + v * kLanes);
  for (int lane = 0; i < count; ++i, ++lane) {
    const auto value = static_cast<double>(x[i]);
    lanes[lane] =
        kPower == Power::kSecond ? std::fma(value, value, lanes[lane]) : lanes[lane] + value;
  }
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

template <typename T>
const row::Kernels<T>* kernels() {
  static constexpr row::Kernels<T> kTable{
      {product<Side::kLater, T>, product<Side::kEarlier, T>},
      sweep<T>,
      {substitute<Side::kLater, T>, substitute<Side::kEarlier, T>},
      add_products<T>,
      subtract_products<T>,
      multiply<T>,
      subtract<T>,
      exponentiate<T>,
      summed<Power::kSecond, T>,
      summed<Power::kFirst, T>};
  return &kTable;
}
const row::Kernels<float>* kernels_f32() { return kernels<float>(); }
const row::Kernels<double>* kernels_f64() { return kernels<double>(); }

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn {

HWY_EXPORT(kernels_f32);
HWY_EXPORT(kernels_f64);

template <>
const row::Kernels<float>& row::kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(kernels_f32)();
}
template <>
const row::Kernels<double>& row::kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(kernels_f64)();
}

}  // namespace supn
#endif
