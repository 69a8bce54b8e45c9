// A piece of an image row substituted for some samples, one in each lane. Included once per
// instruction set.
#include "gaussian/kernels/row_weights-inl.hpp"
#include "gaussian/kernels/sample_lines-inl.hpp"

#if defined(SUPN_SAMPLE_CHAIN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_SAMPLE_CHAIN_INL
#undef SUPN_SAMPLE_CHAIN_INL
#else
#define SUPN_SAMPLE_CHAIN_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

enum class Residual { kNone, kStored };

// A piece of a row of as many samples as there are lanes: arrays [column][lane], pointing at its
// first column. Solutions are readable `radius` columns beyond it on the sides where neighbours
// are, 0 outside the image.
template <typename T>
struct Piece {
  const T* const* finished;  // finished[dy − 1]: the solution dy rows away
  const T* rhs;
  T* solution;
  T* residual;
};
template <typename T>
struct PieceWeights {
  const T* weights;  // of the first column
  std::int64_t stride;
  std::int64_t columns;
  std::int64_t radius;
};

// One column: the value, and for the residual the neighbours' part of Lᵀs.
template <Residual kResidual, class D, class V = hn::VFromD<D>, typename T = hn::TFromD<D>>
struct Pixel {
  HWY_INLINE Pixel(D d, const T* rhs) : value(hn::LoadU(d, rhs)), others(hn::Zero(d)) {}
  HWY_INLINE void subtract(V weight, V neighbour) {
    value = fused_minus(weight, neighbour, value);
    if constexpr (kResidual == Residual::kStored) others = fused_minus(weight, neighbour, others);
  }
  // diagonals holds e^−φ and e^φ, which come after the products' weights.
  HWY_INLINE V finish(D d, const T* diagonals, const T* rhs, T* residual) {
    const V solution = hn::Mul(value, hn::Set(d, diagonals[0]));
    if constexpr (kResidual == Residual::kStored) {
      const V left = fused_less(hn::Set(d, diagonals[1]), solution, others);
      hn::StoreU(hn::Sub(left, hn::LoadU(d, rhs)), d, residual);
    }
    return solution;
  }
  V value;
  V others;
};

// A fixed radius: windows of the finished rows and the last solutions stay in registers, nearest
// first as the weights are in order.
template <Side kSide, std::int64_t kRadius, Residual kResidual, class D>
struct Chain {
  using T = hn::TFromD<D>;
  using V = hn::VFromD<D>;
  static constexpr std::int64_t kSpan = 2 * kRadius + 1;
  static constexpr std::int64_t kForward = -kStep<kSide> * kLanesOf<D>;

  HWY_INLINE void start(const Piece<T>& piece, std::int64_t first) {
    const D d;
    const std::int64_t offset = first * kLanesOf<D>;
    rhs = piece.rhs + offset;
    solution = piece.solution + offset;
    residual = kResidual == Residual::kStored ? piece.residual + offset : nullptr;
    for (std::int64_t dy = 0; dy < kRadius; ++dy) {
      finished[dy] = piece.finished[dy] + offset;
      for (std::int64_t j = 0; j + 1 < kSpan; ++j) {
        window[dy][j] = hn::LoadU(d, finished[dy] - (j - kRadius) * kForward - kForward);
      }
    }
    for (std::int64_t dx = 1; dx <= kRadius; ++dx) {
      own[dx - 1] = hn::LoadU(d, solution - dx * kForward);
    }
  }

  HWY_INLINE void advance(const T* weights) {
    const D d;
#pragma GCC unroll 2
    for (std::int64_t dy = 0; dy < kRadius; ++dy) {
#pragma GCC unroll 5
      for (std::int64_t j = kSpan - 1; j > 0; --j) window[dy][j] = window[dy][j - 1];
      window[dy][0] = hn::LoadU(d, finished[dy] + kRadius * kForward);
      finished[dy] += kForward;
    }
    Pixel<kResidual, D> pixel(d, rhs);
    const T* w = weights;
#pragma GCC unroll 2
    for (std::int64_t dy = kRadius - 1; dy >= 0; --dy) {
#pragma GCC unroll 5
      for (std::int64_t j = 0; j < kSpan; ++j) pixel.subtract(hn::Set(d, *w++), window[dy][j]);
    }
#pragma GCC unroll 2
    for (std::int64_t dx = kRadius; dx >= 1; --dx) pixel.subtract(hn::Set(d, *w++), own[dx - 1]);
#pragma GCC unroll 2
    for (std::int64_t dx = kRadius - 1; dx > 0; --dx) own[dx] = own[dx - 1];
    own[0] = pixel.finish(d, w, rhs, residual);
    hn::StoreU(own[0], d, solution);
    rhs += kForward;
    solution += kForward;
    if constexpr (kResidual == Residual::kStored) residual += kForward;
  }

  const T* finished[kRadius];
  const T* rhs;
  T* solution;
  T* residual;
  V window[kRadius][kSpan];
  V own[kRadius];
};

// The pieces of some strips at once, for the whole length of a piece.
template <typename T>
using PieceSolver = void (*)(const PieceWeights<T>&, const Piece<T>*);

template <Side kSide, std::int64_t kRadius, Residual kResidual, class D, std::int64_t kStrips>
void substitute_fixed(const PieceWeights<hn::TFromD<D>>& by, const Piece<hn::TFromD<D>>* pieces) {
  const std::int64_t first = kSide == Side::kLater ? by.columns - 1 : 0;
  Chain<kSide, kRadius, kResidual, D> chains[kStrips];
  for (std::int64_t s = 0; s < kStrips; ++s) chains[s].start(pieces[s], first);
  const std::int64_t stride = -kStep<kSide> * weight_count(kRadius);
  const hn::TFromD<D>* weights = by.weights + first * weight_count(kRadius);
  // A turn takes as many columns as a window is wide: its registers are then renamed, not moved.
  constexpr std::int64_t kAtOnce = 2 * kRadius + 1;
  std::int64_t left = by.columns;
  for (; left >= kAtOnce; left -= kAtOnce) {
#pragma GCC unroll 5
    for (std::int64_t i = 0; i < kAtOnce; ++i, weights += stride) {
#pragma GCC unroll 2
      for (auto& chain : chains) chain.advance(weights);
    }
  }
  for (; left > 0; --left, weights += stride) {
    for (auto& chain : chains) chain.advance(weights);
  }
}

// Substitutes one piece with any radius.
template <Side kSide, Residual kResidual, class D>
void substitute_any(const PieceWeights<hn::TFromD<D>>& by, const Piece<hn::TFromD<D>>* pieces) {
  using T = hn::TFromD<D>;
  const D d;
  const Piece<T>& piece = *pieces;
  constexpr std::int64_t kLanes = kLanesOf<D>;
  for (std::int64_t i = 0; i < by.columns; ++i) {
    const std::int64_t x = kSide == Side::kLater ? by.columns - 1 - i : i;
    const std::int64_t at = x * kLanes;
    const T* w = by.weights + x * by.stride;
    Pixel<kResidual, D> pixel(d, piece.rhs + at);
    const auto subtract = [&](const T* row, std::int64_t dx) SUPN_LAMBDA {
      pixel.subtract(hn::Set(d, *w++), hn::LoadU(d, row + at + kStep<kSide> * dx * kLanes));
    };
    for (std::int64_t dy = by.radius; dy >= 1; --dy) {
      for (std::int64_t dx = -by.radius; dx <= by.radius; ++dx)
        subtract(piece.finished[dy - 1], dx);
    }
    for (std::int64_t dx = by.radius; dx >= 1; --dx) subtract(piece.solution, dx);
    T* residual = kResidual == Residual::kStored ? piece.residual + at : nullptr;
    hn::StoreU(pixel.finish(d, w, piece.rhs + at, residual), d, piece.solution + at);
  }
}

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
