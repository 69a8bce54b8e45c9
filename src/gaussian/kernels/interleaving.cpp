#include "gaussian/kernels/interleaving.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/interleaving.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::planes::HWY_NAMESPACE {
namespace {

using supn::HWY_NAMESPACE::FullTag;
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// The elements of even and of odd places in a, then in b.
template <typename T>
struct Halves {
  using V = hn::Vec<FullTag<T>>;
  HWY_INLINE Halves(V a, V b)
      : even(hn::ConcatEven(FullTag<T>(), b, a)), odd(hn::ConcatOdd(FullTag<T>(), b, a)) {}
  V even;
  V odd;
};
#endif

template <typename T>
void deinterleave_row(const T* row, std::int64_t length, std::span<T* const> parts) {
  const auto phases = static_cast<std::int64_t>(parts.size());
  std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const FullTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; (j + lanes) * phases <= length; j += lanes) {
    const T* from = row + phases * j;
    const Halves<T> first(hn::LoadU(d, from), hn::LoadU(d, from + lanes));
    if (phases == 2) {
      hn::StoreU(first.even, d, parts[0] + j);
      hn::StoreU(first.odd, d, parts[1] + j);
      continue;
    }
    const Halves<T> second(hn::LoadU(d, from + 2 * lanes), hn::LoadU(d, from + 3 * lanes));
    const Halves<T> even(first.even, second.even);
    const Halves<T> odd(first.odd, second.odd);
    hn::StoreU(even.even, d, parts[0] + j);
    hn::StoreU(odd.even, d, parts[1] + j);
    hn::StoreU(even.odd, d, parts[2] + j);
    hn::StoreU(odd.odd, d, parts[3] + j);
  }
#endif
  for (std::int64_t b = 0; b < phases; ++b) {
    T* const part = parts[static_cast<std::size_t>(b)];
    for (std::int64_t i = j; i * phases + b < length; ++i) part[i] = row[i * phases + b];
  }
}

template <typename T>
void interleave_row(std::span<const T* const> parts, std::int64_t length, T* row) {
  const auto phases = static_cast<std::int64_t>(parts.size());
  std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const FullTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; (j + lanes) * phases <= length; j += lanes) {
    const auto part = [&](std::size_t b) SUPN_LAMBDA { return hn::LoadU(d, parts[b] + j); };
    if (phases == 4) {
      hn::StoreInterleaved4(part(0), part(1), part(2), part(3), d, row + 4 * j);
    } else {
      hn::StoreInterleaved2(part(0), part(1), d, row + 2 * j);
    }
  }
#endif
  for (std::int64_t b = 0; b < phases; ++b) {
    const T* const part = parts[static_cast<std::size_t>(b)];
    for (std::int64_t i = j; i * phases + b < length; ++i) row[i * phases + b] = part[i];
  }
}

void deinterleave_f32(const float* row, std::int64_t n, std::span<float* const> parts) {
  deinterleave_row(row, n, parts);
}
void deinterleave_f64(const double* row, std::int64_t n, std::span<double* const> parts) {
  deinterleave_row(row, n, parts);
}
void interleave_f32(std::span<const float* const> parts, std::int64_t n, float* row) {
  interleave_row(parts, n, row);
}
void interleave_f64(std::span<const double* const> parts, std::int64_t n, double* row) {
  interleave_row(parts, n, row);
}

}  // namespace
}  // namespace supn::planes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::planes {
namespace {

HWY_EXPORT(deinterleave_f32);
HWY_EXPORT(deinterleave_f64);
HWY_EXPORT(interleave_f32);
HWY_EXPORT(interleave_f64);

}  // namespace

void deinterleave(const float* row, std::int64_t length, std::span<float* const> parts) {
  HWY_DYNAMIC_DISPATCH(deinterleave_f32)(row, length, parts);
}
void deinterleave(const double* row, std::int64_t length, std::span<double* const> parts) {
  HWY_DYNAMIC_DISPATCH(deinterleave_f64)(row, length, parts);
}
void interleave(std::span<const float* const> parts, std::int64_t length, float* row) {
  HWY_DYNAMIC_DISPATCH(interleave_f32)(parts, length, row);
}
void interleave(std::span<const double* const> parts, std::int64_t length, double* row) {
  HWY_DYNAMIC_DISPATCH(interleave_f64)(parts, length, row);
}

}  // namespace supn::planes
#endif
