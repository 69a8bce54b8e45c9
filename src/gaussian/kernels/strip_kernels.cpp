#include "gaussian/kernels/strip_kernels.hpp"

#include <algorithm>
#include <array>

#include "gaussian/kernels/avx2.hpp"

namespace supn::strip {
#ifdef SUPN_AVX2
namespace {

constexpr std::size_t kMostWeights = weight_count(kMostRadius);

template <Side kSide>
inline constexpr std::int64_t kStep = kSide == Side::kLater ? 1 : -1;

// The products of a row's weights, in their order.
struct Tap {
  std::int64_t dy;
  std::int64_t dx;
};

std::int64_t tap_count(std::int64_t radius) { return 2 * radius * (radius + 1); }

std::array<Tap, kMostWeights> taps_of(std::int64_t radius) {
  std::array<Tap, kMostWeights> taps{};
  std::size_t j = 0;
  for (std::int64_t dy = radius; dy >= 1; --dy) {
    for (std::int64_t dx = -radius; dx <= radius; ++dx) taps[j++] = {dy, dx};
  }
  for (std::int64_t dx = radius; dx >= 1; --dx) taps[j++] = {0, dx};
  return taps;
}

// A row's maps, element x being what column x needs; taps without a row are given row y's.
template <Side kSide>
std::array<const float*, kMostWeights> maps_of(const FactorImage<float>& image,
                                               const float* direct,
                                               std::int64_t y) {
  const auto taps = taps_of(image.radius);
  const auto products = static_cast<std::size_t>(tap_count(image.radius));
  std::array<const float*, kMostWeights> maps;
  maps.fill(direct + y * image.width);
  for (std::size_t j = 0; j < products; ++j) {
    const Tap& tap = taps[j];
    const bool earlier = kSide == Side::kEarlier;
    const std::int64_t row = earlier && tap.dy <= y ? y - tap.dy : y;
    maps[j] = image.coefficient_row({tap.dy, tap.dx}, row) - (earlier ? tap.dx : 0);
  }
  maps[products] = image.diagonal_row(y);
  return maps;
}

// Columns [columns.begin, columns.end) of tap j are outside the image.
void erase(float* weights, const Columns& columns, std::int64_t count, std::int64_t j) {
  for (std::int64_t x = columns.begin; x < columns.end; ++x) weights[x * count + j] = -0.0F;
}

template <Side kSide>
void erase_outside(float* weights, const FactorImage<float>& image, std::int64_t y) {
  const std::int64_t count = weight_count(image.radius);
  const std::int64_t rows = kSide == Side::kLater ? image.height - 1 - y : y;
  const auto taps = taps_of(image.radius);
  for (std::int64_t j = 0; j < tap_count(image.radius); ++j) {
    const Tap& tap = taps[static_cast<std::size_t>(j)];
    const std::int64_t shift = kStep<kSide> * tap.dx;  // to the neighbour
    const std::int64_t begin = tap.dy > rows ? image.width : std::max<std::int64_t>(0, -shift);
    const std::int64_t end = std::min(image.width, image.width - shift);
    erase(weights, {0, std::min(begin, image.width)}, count, j);
    erase(weights, {std::max<std::int64_t>(0, end), image.width}, count, j);
  }
}

// Eight maps from column x on into eight neighbouring weights; the first `products` change sign.
SUPN_AVX2_INLINE void interleave_maps(float* weights,
                                      const float* const* maps,
                                      std::int64_t x,
                                      std::int64_t count,
                                      std::int64_t products) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  __m256 square[8];
  for (std::int64_t i = 0; i < 8; ++i) {
    square[i] = _mm256_loadu_ps(maps[i] + x);
    if (i < products) square[i] = _mm256_xor_ps(square[i], sign);
  }
  transpose_square(square);
  for (std::int64_t i = 0; i < 8; ++i) _mm256_store_ps(weights + (x + i) * count, square[i]);
}

// Whole cache lines of the maps at a time: maps are often whole pages apart, and all of them at
// once would drive each other out of the nearest cache.
template <std::int64_t kRadius>
SUPN_AVX2 void interleave_all_maps(float* weights,
                                   const float* const* maps,
                                   const Columns& columns) {
  constexpr std::int64_t kCount = weight_count(kRadius);
  constexpr std::int64_t kProducts = 2 * kRadius * (kRadius + 1);
  std::int64_t x = columns.begin;
  for (; x + 16 <= columns.end; x += 16) {
#pragma GCC unroll 2
    for (std::int64_t j = 0; j < kCount; j += 8) {
      interleave_maps(weights + j, maps + j, x, kCount, kProducts - j);
      interleave_maps(weights + j, maps + j, x + 8, kCount, kProducts - j);
    }
  }
  for (; x < columns.end; ++x) {
    for (std::int64_t j = 0; j < kCount; ++j) {
      weights[x * kCount + j] = j < kProducts ? -maps[j][x] : maps[j][x];
    }
  }
}

enum class Residual { kNone, kStored };

// A piece of a row under way: windows of the finished rows and the last solutions in registers,
// nearest first as the weights are in order.
template <Side kSide, std::int64_t kRadius, Residual kResidual>
struct Substitution {
  static constexpr std::int64_t kSpan = 2 * kRadius + 1;
  static constexpr std::int64_t kProducts = 2 * kRadius * (kRadius + 1);
  static constexpr std::int64_t kForward = -kStep<kSide> * kLanes;

  SUPN_AVX2_INLINE void start() {
    for (std::int64_t dy = 0; dy < kRadius; ++dy) {
      for (std::int64_t j = 0; j + 1 < kSpan; ++j) {
        window[dy][j] = _mm256_loadu_ps(finished[dy] - (j - kRadius) * kForward - kForward);
      }
    }
    for (std::int64_t dx = 1; dx <= kRadius; ++dx) {
      own[dx - 1] = _mm256_loadu_ps(solution - dx * kForward);
    }
  }

  SUPN_AVX2_INLINE void advance() {
    for (std::int64_t dy = 0; dy < kRadius; ++dy) {
      for (std::int64_t j = kSpan - 1; j > 0; --j) window[dy][j] = window[dy][j - 1];
      window[dy][0] = _mm256_loadu_ps(finished[dy] + kRadius * kForward);
      finished[dy] += kForward;
    }
    __m256 value = _mm256_loadu_ps(rhs);
    __m256 others = _mm256_setzero_ps();
    const float* w = weights;
    const auto subtract = [&](const __m256& neighbour)
        __attribute__((always_inline, target("avx2,fma"))) {
      const __m256 weight = _mm256_broadcast_ss(w++);
      value = _mm256_fmadd_ps(weight, neighbour, value);
      if constexpr (kResidual == Residual::kStored) {
        others = _mm256_fmadd_ps(weight, neighbour, others);
      }
    };
    for (std::int64_t dy = kRadius - 1; dy >= 0; --dy) {
      for (std::int64_t j = 0; j < kSpan; ++j) subtract(window[dy][j]);
    }
    for (std::int64_t dx = kRadius; dx >= 1; --dx) subtract(own[dx - 1]);
    for (std::int64_t dx = kRadius - 1; dx > 0; --dx) own[dx] = own[dx - 1];
    own[0] = _mm256_mul_ps(value, _mm256_broadcast_ss(weights + kProducts));
    _mm256_storeu_ps(solution, own[0]);
    if constexpr (kResidual == Residual::kStored) {
      const __m256 direct = _mm256_broadcast_ss(weights + kProducts + 1);
      const __m256 left = _mm256_fmsub_ps(direct, own[0], others);
      _mm256_storeu_ps(residual, _mm256_sub_ps(left, _mm256_loadu_ps(rhs)));
      residual += kForward;
    }
    rhs += kForward;
    solution += kForward;
    weights += kForward / kLanes * weight_count(kRadius);
  }

  const float* weights;
  const float* finished[kRadius];
  const float* rhs;
  float* solution;
  float* residual;
  __m256 window[kRadius][kSpan];
  __m256 own[kRadius];
};

template <Side kSide, std::int64_t kRadius, Residual kResidual>
SUPN_AVX2 void run(const Piece& piece, float* residual) {
  const std::int64_t first = kSide == Side::kLater ? piece.columns - 1 : 0;
  const std::int64_t offset = first * kLanes;
  Substitution<kSide, kRadius, kResidual> chain;
  chain.weights = piece.weights + first * weight_count(kRadius);
  for (std::int64_t dy = 0; dy < kRadius; ++dy) chain.finished[dy] = piece.finished[dy] + offset;
  chain.rhs = piece.rhs + offset;
  chain.solution = piece.solution + offset;
  if constexpr (kResidual == Residual::kStored) chain.residual = residual + offset;
  chain.start();
  // As many columns at once as a window is wide: its registers are then renamed, not moved.
  constexpr std::int64_t kAtOnce = 2 * kRadius + 1;
  std::int64_t left = piece.columns;
  for (; left >= kAtOnce; left -= kAtOnce) {
#pragma GCC unroll 5
    for (std::int64_t i = 0; i < kAtOnce; ++i) chain.advance();
  }
  for (; left > 0; --left) chain.advance();
}

}  // namespace

template <Side kSide>
SUPN_AVX2 void fill_weights(float* weights,
                            const FactorImage<float>& image,
                            const float* direct,
                            std::int64_t y) {
  const auto maps = maps_of<kSide>(image, direct, y);
  const std::int64_t count = weight_count(image.radius);
  const std::int64_t width = image.width;
  const std::int64_t radius = image.radius;
  // L's coefficients are read beside the pixel: not at the ends of a row.
  const bool earlier = kSide == Side::kEarlier;
  const Columns inside{earlier ? std::min(radius, width) : 0,
                       earlier ? std::max(radius, width - radius) : width};
  if (inside.begin < inside.end && inside.end <= width) {
    if (radius == 1) {
      interleave_all_maps<1>(weights, maps.data(), inside);
    } else {
      interleave_all_maps<2>(weights, maps.data(), inside);
    }
  }
  const auto taps = taps_of(radius);
  const auto fill_column = [&](std::int64_t x) {
    for (std::int64_t j = 0; j < count; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const std::int64_t neighbour = x + kStep<kSide> * taps[at].dx;
      const bool product = j < tap_count(radius);
      if (product && (neighbour < 0 || neighbour >= width)) continue;
      weights[x * count + j] = product ? -maps[at][x] : maps[at][x];
    }
  };
  for (std::int64_t x = 0; x < inside.begin; ++x) fill_column(x);
  for (std::int64_t x = std::max(inside.begin, inside.end); x < width; ++x) fill_column(x);
  erase_outside<kSide>(weights, image, y);
}

template <Side kSide>
void substitute(const Piece& piece) {
  if (piece.radius == 1) return run<kSide, 1, Residual::kNone>(piece, nullptr);
  run<kSide, 2, Residual::kNone>(piece, nullptr);
}

void substitute_with_residual(const Piece& piece, float* residual) {
  if (piece.radius == 1) return run<Side::kLater, 1, Residual::kStored>(piece, residual);
  run<Side::kLater, 2, Residual::kStored>(piece, residual);
}

#else

template <Side kSide>
void fill_weights(float*, const FactorImage<float>&, const float*, std::int64_t) {}
template <Side kSide>
void substitute(const Piece&) {}
void substitute_with_residual(const Piece&, float*) {}

#endif

template void fill_weights<Side::kLater>(float*,
                                         const FactorImage<float>&,
                                         const float*,
                                         std::int64_t);
template void fill_weights<Side::kEarlier>(float*,
                                           const FactorImage<float>&,
                                           const float*,
                                           std::int64_t);
template void substitute<Side::kLater>(const Piece&);
template void substitute<Side::kEarlier>(const Piece&);

}  // namespace supn::strip
