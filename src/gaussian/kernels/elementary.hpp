// Exponential, logarithm and circular functions as short chains of fused multiply-adds, so that a
// vectorised loop, its tail and another machine give the same bits. T is float or double.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "gaussian/kernels/instruction_sets.hpp"

namespace supn::elementary {

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

// c_0 + c_1·x + ... by Horner.
template <typename T, std::size_t kCount>
SUPN_INLINE T polynomial(const std::array<T, kCount>& coefficients, T x) {
  T value = coefficients[kCount - 1];
#pragma GCC unroll 16  // a loop in here would keep the caller's from being vectorised
  for (std::size_t i = kCount - 1; i > 0; --i) {
    value = fused_multiply_add(value, x, coefficients[i - 1]);
  }
  return value;
}

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

// 1/(2i + 1): artanh(s)/s in s².
template <typename T, std::size_t kCount>
constexpr std::array<T, kCount> artanh_series() {
  std::array<T, kCount> coefficients{};
  for (std::size_t i = 0; i < kCount; ++i) {
    coefficients[i] = static_cast<T>(1.0 / (2.0 * static_cast<double>(i) + 1.0));
  }
  return coefficients;
}

// 2^n for the exponents of normal numbers.
template <typename T>
SUPN_INLINE T power_of_two(std::make_signed_t<typename Format<T>::Bits> n) {
  using Bits = typename Format<T>::Bits;
  return std::bit_cast<T>((static_cast<Bits>(n) + Format<T>::kBias) << Format<T>::kFraction);
}

// e^x = 2^n·e^r, |r| ≤ ½ ln 2. The power is applied in two halves, for results that are denormal.
template <typename T>
SUPN_INLINE T exponential(T x) {
  using F = Format<T>;
  using Signed = std::make_signed_t<typename F::Bits>;
  constexpr auto kSeries = factorial_series<T, F::kExpDegree + 1>(0, 1, 1);
  constexpr T kLog2E = static_cast<T>(1.442695040888963407359924681);
  x = x < F::kLowest ? F::kLowest : x;
  x = x > F::kHighest ? F::kHighest : x;
  const T shifted = fused_multiply_add(x, kLog2E, F::kRoundToInteger);
  const T rounded = shifted - F::kRoundToInteger;
  const auto n = static_cast<Signed>(std::bit_cast<typename F::Bits>(shifted) -
                                     std::bit_cast<typename F::Bits>(F::kRoundToInteger));
  T r = fused_multiply_add(rounded, -F::kLog2High, x);
  r = fused_multiply_add(rounded, -F::kLog2Low, r);
  const Signed half = n >> 1;
  return polynomial(kSeries, r) * power_of_two<T>(half) * power_of_two<T>(n - half);
}

// −2 ln((word + ½)/2³²), never negative. Near 1 the argument's distance to 1 is what counts, so it
// is taken from the complement of the word, exactly.
template <typename T>
SUPN_INLINE T minus_two_log_uniform(std::uint32_t word) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  using Signed = std::make_signed_t<Bits>;
  constexpr auto kSeries = artanh_series<T, F::kLogTerms>();
  constexpr T kUnit = static_cast<T>(0x1p-32), kHalfUnit = static_cast<T>(0x1p-33);
  constexpr std::uint32_t kRootHalf = 0xB504F333;  // 2³²·√½
  constexpr Bits kRootHalfBits = std::bit_cast<Bits>(static_cast<T>(0.70710678118654752440));
  const T u = fused_multiply_add(static_cast<T>(word), kUnit, kHalfUnit);
  const Bits bits = std::bit_cast<Bits>(u) - kRootHalfBits;
  const auto exponent = static_cast<Signed>(bits) >> F::kFraction;
  const T mantissa =
      std::bit_cast<T>(std::bit_cast<Bits>(u) - (static_cast<Bits>(exponent) << F::kFraction));
  const T complement = fused_multiply_add(static_cast<T>(~word), kUnit, kHalfUnit);
  const bool near_one = word >= kRootHalf;
  const T f = near_one ? -complement : mantissa - T{1};  // u = 2^e·(1 + f)
  const T e = near_one ? T{0} : static_cast<T>(static_cast<std::int32_t>(exponent));
  const T s = f / (T{2} + f);
  const T log_mantissa = T{2} * s * polynomial(kSeries, s * s);
  constexpr T kLog2 = static_cast<T>(0.693147180559945309417232121458);
  return T{-2} * fused_multiply_add(e, kLog2, log_mantissa);
}

template <typename T>
struct CosineSine {
  T cosine;
  T sine;
};

// Of the angle 2π·word/2³²: the word's nearest quarter turn is taken off in integers, exactly.
template <typename T>
SUPN_INLINE CosineSine<T> cosine_sine_of_turn(std::uint32_t word) {
  using F = Format<T>;
  constexpr auto kSine = factorial_series<T, F::kCircularTerms>(1, 2, -1);
  constexpr auto kCosine = factorial_series<T, F::kCircularTerms>(0, 2, -1);
  constexpr T kRadians = static_cast<T>(6.283185307179586476925286766559 * 0x1p-32);
  const std::uint32_t quarter = (word + 0x20000000U) >> 30;
  const auto rest = static_cast<std::int32_t>(word - (quarter << 30));
  const T angle = static_cast<T>(rest) * kRadians;
  const T square = angle * angle;
  const T sine = angle * polynomial(kSine, square);
  const T cosine = polynomial(kCosine, square);
  const T first = (quarter & 1U) != 0 ? sine : cosine;
  const T second = (quarter & 1U) != 0 ? cosine : sine;
  return {((quarter + 1U) & 2U) != 0 ? -first : first, (quarter & 2U) != 0 ? -second : second};
}

}  // namespace supn::elementary
