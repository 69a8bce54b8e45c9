// The kernels add this to Highway: multiply-adds that round once on every instruction set, and
// transposed squares of lanes. Included once per instruction set.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(SUPN_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_SIMD_INL
#undef SUPN_SIMD_INL
#else
#define SUPN_SIMD_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lambdas in kernels are compiled for the kernel's instruction set, and into their caller.
#ifndef SUPN_LAMBDA
#define SUPN_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

// Vectors of at most kMost elements of T; one element in the portable form.
template <typename T, std::size_t kMost>
using Tag = hn::CappedTag<T, kMost>;
template <typename T>
using FullTag = hn::ScalableTag<T>;

// These return a·b + c, a·b − c and c − a·b with one rounding.
template <class V>
HWY_INLINE V fused(V a, V b, V c) {
#if HWY_TARGET == HWY_SCALAR
  return V(std::fma(a.raw, b.raw, c.raw));
#else
  return hn::MulAdd(a, b, c);
#endif
}
template <class V>
HWY_INLINE V fused_less(V a, V b, V c) {
#if HWY_TARGET == HWY_SCALAR
  return V(std::fma(a.raw, b.raw, -c.raw));
#else
  return hn::MulSub(a, b, c);
#endif
}
template <class V>
HWY_INLINE V fused_minus(V a, V b, V c) {
#if HWY_TARGET == HWY_SCALAR
  return V(std::fma(-a.raw, b.raw, c.raw));
#else
  return hn::NegMulAdd(a, b, c);
#endif
}

// The first `count` elements, the others 0; and back. Memory beyond them is neither read nor
// written: of Highway's masked accesses only those of x86 promise that, for float and double.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> load_first(D d, const T* from, std::int64_t count) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d, from);
#else
  HWY_ALIGN T padded[hn::MaxLanes(D())] = {};
  std::copy_n(from, count, padded);
  return hn::Load(d, padded);
#endif
}
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_first(D d, hn::VFromD<D> value, T* to, std::int64_t count) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  hn::BlendedStore(value, hn::FirstN(d, static_cast<std::size_t>(count)), d, to);
#else
  HWY_ALIGN T padded[hn::MaxLanes(D())];
  hn::Store(value, d, padded);
  std::copy_n(padded, count, to);
#endif
}

// The elements [begin, end), the others 0 and not read.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> load_between(D d, const T* from, std::int64_t begin, std::int64_t end) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  begin = std::clamp<std::int64_t>(begin, 0, kLanes);
  end = std::clamp<std::int64_t>(end, begin, kLanes);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const auto before = hn::FirstN(d, static_cast<std::size_t>(begin));
  return hn::MaskedLoad(hn::AndNot(before, hn::FirstN(d, static_cast<std::size_t>(end))), d, from);
#else
  HWY_ALIGN T padded[kLanes] = {};
  for (std::int64_t i = begin; i < end; ++i) padded[i] = from[i];
  return hn::Load(d, padded);
#endif
}

// out[i] = f(in[i]…) for i < count, a vector at a time; f takes as many vectors as there are
// inputs.
template <typename T, class F, typename... In>
HWY_INLINE void for_each_element(T* out, std::int64_t count, const F& f, const In*... in) {
  const FullTag<T> d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(FullTag<T>()));
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(f(hn::LoadU(d, in + i)...), d, out + i);
  if (i < count) store_first(d, f(load_first(d, in + i, count - i)...), out + i, count - i);
}

// The elements [begin, end) of `value`; the others are not written.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_between(
    D d, hn::VFromD<D> value, T* to, std::int64_t begin, std::int64_t end) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  begin = std::clamp<std::int64_t>(begin, 0, kLanes);
  end = std::clamp<std::int64_t>(end, begin, kLanes);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const auto before = hn::FirstN(d, static_cast<std::size_t>(begin));
  hn::BlendedStore(value, hn::AndNot(before, hn::FirstN(d, static_cast<std::size_t>(end))), d, to);
#else
  HWY_ALIGN T padded[kLanes];
  hn::Store(value, d, padded);
  for (std::int64_t i = begin; i < end; ++i) to[i] = padded[i];
#endif
}

#if HWY_TARGET != HWY_SCALAR
// These return the even blocks of 16 bytes of a, then those of b; and the odd ones.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V even_blocks(D d, V a, V b) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    return V{reinterpret_cast<decltype(V::raw)>(_mm512_shuffle_f32x4(
        reinterpret_cast<__m512>(a.raw), reinterpret_cast<__m512>(b.raw), 0x88))};
  } else
#endif
    return hn::ConcatLowerLower(d, b, a);
}
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V odd_blocks(D d, V a, V b) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    return V{reinterpret_cast<decltype(V::raw)>(_mm512_shuffle_f32x4(
        reinterpret_cast<__m512>(a.raw), reinterpret_cast<__m512>(b.raw), 0xDD))};
  } else
#endif
    return hn::ConcatUpperUpper(d, b, a);
}

// Within blocks of 16 bytes: squares of the rows that one block's lanes make.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE void transpose_in_blocks(D d, V* rows) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V first = rows[0];
    rows[0] = hn::InterleaveLower(d, first, rows[1]);
    rows[1] = hn::InterleaveUpper(d, first, rows[1]);
  } else {
    const hn::RepartitionToWide<D> wide;
    const auto low = hn::BitCast(wide, hn::InterleaveLower(d, rows[0], rows[1]));
    const auto high = hn::BitCast(wide, hn::InterleaveUpper(d, rows[0], rows[1]));
    const auto next_low = hn::BitCast(wide, hn::InterleaveLower(d, rows[2], rows[3]));
    const auto next_high = hn::BitCast(wide, hn::InterleaveUpper(d, rows[2], rows[3]));
    rows[0] = hn::BitCast(d, hn::InterleaveLower(wide, low, next_low));
    rows[1] = hn::BitCast(d, hn::InterleaveUpper(wide, low, next_low));
    rows[2] = hn::BitCast(d, hn::InterleaveLower(wide, high, next_high));
    rows[3] = hn::BitCast(d, hn::InterleaveUpper(wide, high, next_high));
  }
}
#endif

// columns[j], lane i = rows[i], lane j, in place: as many rows as there are lanes.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE void transpose(D d, V (&rows)[hn::MaxLanes(D())]) {
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  constexpr std::size_t kInBlock = 16 / sizeof(hn::TFromD<D>);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kLanes; i += kInBlock) transpose_in_blocks(d, rows + i);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kInBlock; ++i) {
    V* const r = rows + i;
    if constexpr (kLanes == 2 * kInBlock) {
      const V first = r[0];
      r[0] = even_blocks(d, first, r[kInBlock]);
      r[kInBlock] = odd_blocks(d, first, r[kInBlock]);
    } else if constexpr (kLanes == 4 * kInBlock) {
      const V even = even_blocks(d, r[0], r[kInBlock]);
      const V odd = odd_blocks(d, r[0], r[kInBlock]);
      const V next_even = even_blocks(d, r[2 * kInBlock], r[3 * kInBlock]);
      const V next_odd = odd_blocks(d, r[2 * kInBlock], r[3 * kInBlock]);
      r[0] = even_blocks(d, even, next_even);
      r[kInBlock] = even_blocks(d, odd, next_odd);
      r[2 * kInBlock] = odd_blocks(d, even, next_even);
      r[3 * kInBlock] = odd_blocks(d, odd, next_odd);
    }
  }
#else
  (void)d;
  (void)rows;
#endif
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
