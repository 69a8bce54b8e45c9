// Exponential, logarithm and circular functions as short chains of fused multiply-adds, so that
// every instruction set, the end of a loop and another machine give the same bits. Elements are
// float or double. Included once per instruction set.
#include <array>
#include <bit>

#include "gaussian/kernels/simd-inl.hpp"

#if defined(SUPN_ELEMENTARY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_ELEMENTARY_INL
#undef SUPN_ELEMENTARY_INL
#else
#define SUPN_ELEMENTARY_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kFraction = 23;
  static constexpr Bits kBias = 127;
  static constexpr float kRoundToInteger = 12582912.0F;        // 1.5·2²³
  static constexpr float kLowest = -105.0F, kHighest = 89.0F;  // beyond: 0 and infinity
  static constexpr float kLog2High = 0.693145751953125F, kLog2Low = 1.42860682030941723e-6F;
  static constexpr int kExpDegree = 7, kLogTerms = 5, kCircularTerms = 6;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kFraction = 52;
  static constexpr Bits kBias = 1023;
  static constexpr double kRoundToInteger = 6755399441055744.0;  // 1.5·2⁵²
  static constexpr double kLowest = -746.0, kHighest = 710.0;
  static constexpr double kLog2High = 6.93147180369123816490e-01;
  static constexpr double kLog2Low = 1.90821492927058770002e-10;
  static constexpr int kExpDegree = 13, kLogTerms = 11, kCircularTerms = 9;
};

// first!/(first + i·step)! with alternating sign if sign = −1: Taylor series of exp, sin, cos.
template <typename T, std::size_t kCount>
constexpr std::array<T, kCount> factorial_series(int first, int step, int sign) {
  std::array<T, kCount> coefficients{};
  double term = 1.0;
  for (std::size_t i = 0; i < kCount; ++i) {
    coefficients[i] = static_cast<T>(term);
    for (int j = 1; j <= step; ++j) term /= first + static_cast<int>(i) * step + j;
    term *= sign;
  }
  return coefficients;
}

// Returns coefficients 1/(2i + 1), those of artanh(s)/s in s².
template <typename T, std::size_t kCount>
constexpr std::array<T, kCount> artanh_series() {
  std::array<T, kCount> coefficients{};
  for (std::size_t i = 0; i < kCount; ++i) {
    coefficients[i] = static_cast<T>(1.0 / (2.0 * static_cast<double>(i) + 1.0));
  }
  return coefficients;
}

// Returns c_0 + c_1·x + … by Horner.
template <class D, std::size_t kCount, typename T = hn::TFromD<D>, class V = hn::VFromD<D>>
HWY_INLINE V polynomial(D d, const std::array<T, kCount>& coefficients, V x) {
  V value = hn::Set(d, coefficients[kCount - 1]);
#pragma GCC unroll 16
  for (std::size_t i = kCount - 1; i > 0; --i) {
    value = fused(value, x, hn::Set(d, coefficients[i - 1]));
  }
  return value;
}

template <class D>
using WordTag = hn::RebindToUnsigned<D>;
template <class D>
using WordVector = hn::VFromD<WordTag<D>>;

// Returns 2^n for the exponents of normal numbers.
template <class D, class VS>
HWY_INLINE hn::VFromD<D> power_of_two(D d, VS n) {
  using F = Format<hn::TFromD<D>>;
  const hn::RebindToSigned<D> ds;
  using Signed = hn::TFromD<decltype(ds)>;
  return hn::BitCast(
      d, hn::ShiftLeft<F::kFraction>(hn::Add(n, hn::Set(ds, static_cast<Signed>(F::kBias)))));
}

// e^x = 2^n·e^r, |r| ≤ ½ ln 2, within 2 ulp; overflow to infinity, underflow to zero, NaN stays.
// The power is applied in two halves, for results that are denormal.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V exponential(D d, V x) {
  using T = hn::TFromD<D>;
  using F = Format<T>;
  constexpr auto kSeries = factorial_series<T, F::kExpDegree + 1>(0, 1, 1);
  const V lowest = hn::Set(d, F::kLowest);
  const V highest = hn::Set(d, F::kHighest);
  x = hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
  x = hn::IfThenElse(hn::Gt(x, highest), highest, x);
  const V round = hn::Set(d, F::kRoundToInteger);
  const V shifted = fused(x, hn::Set(d, static_cast<T>(1.442695040888963407359924681)), round);
  const V rounded = hn::Sub(shifted, round);
  const hn::RebindToSigned<D> ds;
  const auto n = hn::Sub(hn::BitCast(ds, shifted), hn::BitCast(ds, round));
  V r = fused_minus(rounded, hn::Set(d, F::kLog2High), x);
  r = fused_minus(rounded, hn::Set(d, F::kLog2Low), r);
  const auto half = hn::ShiftRight<1>(n);
  return hn::Mul(hn::Mul(polynomial(d, kSeries, r), power_of_two(d, half)),
                 power_of_two(d, hn::Sub(n, half)));
}

// Returns −2 ln((word + ½)/2³²), never negative, for words of 32 bits in elements as wide as T.
// Near 1 the argument's distance to 1 is what counts, so it is taken from the complement of the
// word, exactly.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V minus_two_log_uniform(D d, WordVector<D> word) {
  using T = hn::TFromD<D>;
  using F = Format<T>;
  constexpr auto kSeries = artanh_series<T, F::kLogTerms>();
  const WordTag<D> du;
  const hn::RebindToSigned<D> ds;
  const auto all_bits = hn::Set(du, 0xFFFFFFFFU);
  const auto near_one = hn::Gt(word, hn::Set(du, 0xB504F332U));  // at least 2³²·√½
  const auto converted = hn::IfThenElse(near_one, hn::Xor(word, all_bits), word);
  const V u = fused(hn::ConvertTo(d, converted),
                    hn::Set(d, static_cast<T>(0x1p-32)),
                    hn::Set(d, static_cast<T>(0x1p-33)));
  const auto bits = hn::BitCast(ds, u);
  const auto root_half = hn::BitCast(ds, hn::Set(d, static_cast<T>(0.70710678118654752440)));
  const auto exponent = hn::ShiftRight<F::kFraction>(hn::Sub(bits, root_half));
  const V mantissa = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<F::kFraction>(exponent)));
  const auto of_one = hn::RebindMask(d, near_one);
  // u = 2^e·(1 + f).
  const V f = hn::IfThenElse(of_one, hn::Neg(u), hn::Sub(mantissa, hn::Set(d, T{1})));
  const V e = hn::IfThenZeroElse(of_one, hn::ConvertTo(d, exponent));
  const V s = hn::Div(f, hn::Add(hn::Set(d, T{2}), f));
  const V log_mantissa =
      hn::Mul(hn::Mul(hn::Set(d, T{2}), s), polynomial(d, kSeries, hn::Mul(s, s)));
  constexpr T kLog2 = static_cast<T>(0.693147180559945309417232121458);
  return hn::Mul(hn::Set(d, T{-2}), fused(e, hn::Set(d, kLog2), log_mantissa));
}

template <class V>
struct CosineSine {
  V cosine;
  V sine;
};

// Returns cosine and sine of the angle 2π·word/2³², for words of 32 bits in elements as wide as T.
// The word's nearest quarter turn is taken off in integers, exactly.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE CosineSine<V> cosine_sine_of_turn(D d, WordVector<D> word) {
  using T = hn::TFromD<D>;
  using F = Format<T>;
  constexpr auto kSine = factorial_series<T, F::kCircularTerms>(1, 2, -1);
  constexpr auto kCosine = factorial_series<T, F::kCircularTerms>(0, 2, -1);
  constexpr T kRadians = static_cast<T>(6.283185307179586476925286766559 * 0x1p-32);
  constexpr int kToSign = 8 * static_cast<int>(sizeof(T)) - 2;  // from bit 1
  const WordTag<D> du;
  const hn::RebindToSigned<D> ds;
  const auto quarter = hn::ShiftRight<30>(hn::Add(word, hn::Set(du, 0x20000000U)));
  const auto rest = hn::BitCast(ds, hn::Sub(word, hn::ShiftLeft<30>(quarter)));
  const V angle = hn::Mul(hn::ConvertTo(d, rest), hn::Set(d, kRadians));
  const V square = hn::Mul(angle, angle);
  const V sine = hn::Mul(angle, polynomial(d, kSine, square));
  const V cosine = polynomial(d, kCosine, square);
  const auto one = hn::Set(du, 1U);
  const auto two = hn::Set(du, 2U);
  const auto odd = hn::RebindMask(d, hn::TestBit(quarter, one));
  const auto first_sign = hn::ShiftLeft<kToSign>(hn::And(hn::Add(quarter, one), two));
  const auto second_sign = hn::ShiftLeft<kToSign>(hn::And(quarter, two));
  return {hn::Xor(hn::IfThenElse(odd, sine, cosine), hn::BitCast(d, first_sign)),
          hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(d, second_sign))};
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
