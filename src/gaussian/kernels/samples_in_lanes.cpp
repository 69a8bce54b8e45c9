#include "gaussian/kernels/samples_in_lanes.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/samples_in_lanes.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include <array>

#include "gaussian/kernels/normals-inl.hpp"
#include "gaussian/kernels/row_weights-inl.hpp"
#include "gaussian/kernels/sample_chain-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

// Strips whose chains fill each other's gaps, as far as there are registers.
template <std::int64_t kRadius>
inline constexpr std::size_t kStripsAtOnce = kRadius == 1 ||
                                                     (kRadius == 2 && HWY_TARGET <= HWY_AVX3)
                                                 ? 2
                                                 : 1;

template <Side kSide, std::int64_t kRadius, class D>
class Samples {
 public:
  using T = hn::TFromD<D>;
  static constexpr std::int64_t kLanes = kLanesOf<D>;

  Samples(const FactorView<T>& view,
          const RightHandSide<T>& b,
          const Sink<T>& sink,
          std::int64_t samples)
      : view_(view),
        b_(b),
        sink_(sink),
        samples_(samples),
        strips_((samples + kLanes - 1) / kLanes),
        generator_(b.noise.seed),
        weights_(view),
        pitch_((view.width + 2 * view.radius) * kLanes),
        rows_((view.radius + 1) * strips_ * pitch_),
        rhs_(static_cast<std::int64_t>(kAtOnce) * kRhsSize),
        residual_(static_cast<std::int64_t>(kAtOnce) * kColumns * kLanes),
        spare_(view.width),
        squares_(static_cast<std::size_t>(2 * strips_ * kLanes), 0.0),
        finished_(kAtOnce * static_cast<std::size_t>(view.radius)) {
    std::fill_n(rows_.data(), (view.radius + 1) * strips_ * pitch_, T{0});
  }

  void run() {
    const std::int64_t pieces = (view_.width + kColumns - 1) / kColumns;
    for (std::int64_t i = 0; i < view_.height; ++i) {
      const std::int64_t y = kSide == Side::kLater ? view_.height - 1 - i : i;
      weights_.fill(y);
      for (std::int64_t k = 0; k < pieces; ++k) {
        weights_.prefetch(y - kStep<kSide>, k, pieces);
        const std::int64_t begin = (kSide == Side::kLater ? pieces - 1 - k : k) * kColumns;
        const Part part{i, y, begin, std::min(kColumns, view_.width - begin)};
        std::int64_t s = 0;
        for (; s + kAtOnce <= strips_; s += kAtOnce) take_strips<kStripsAtOnce<kRadius>>(part, s);
        for (; s < strips_; ++s) take_strips<1>(part, s);
      }
    }
    hwy::FlushStream();
    if (sink_.residual_squares != nullptr) {
      std::copy_n(squares_.data(), samples_, sink_.residual_squares);
      std::copy_n(squares_.data() + strips_ * kLanes, samples_, sink_.rhs_squares);
    }
  }

 private:
  static constexpr std::int64_t kAtOnce = kStripsAtOnce<kRadius>;
  static constexpr std::int64_t kRhsSize = (kColumns + 8) * kLanes;

  // Some columns of row y, the i-th of the substitution.
  struct Part {
    std::int64_t i;
    std::int64_t y;
    std::int64_t begin;
    std::int64_t columns;
  };

  // Returns row i of a strip, from its first column on.
  T* row(std::int64_t i, std::int64_t strip) const {
    const std::int64_t rows = view_.radius + 1;
    return rows_.data() + ((i + rows) % rows * strips_ + strip) * pitch_ + view_.radius * kLanes;
  }

  template <std::size_t kStrips>
  void take_strips(const Part& part, std::int64_t strip) {
    std::array<Piece<T>, kStrips> pieces;
    for (std::size_t n = 0; n < kStrips; ++n) {
      pieces[n] = piece(part, strip + static_cast<std::int64_t>(n), static_cast<std::int64_t>(n));
    }
    const PieceWeights<T> by{weights_.at(part.begin), weights_.count(), part.columns, view_.radius};
    if constexpr (kSide == Side::kLater) {
      if (sink_.residual_squares != nullptr) {
        substitute<Residual::kStored>(by, pieces);
      } else {
        substitute<Residual::kNone>(by, pieces);
      }
    } else {
      substitute<Residual::kNone>(by, pieces);
    }
    for (std::size_t n = 0; n < kStrips; ++n) {
      finish(part, strip + static_cast<std::int64_t>(n), pieces[n]);
    }
  }

  template <Residual kResidual, std::size_t kStrips>
  void substitute(const PieceWeights<T>& by, const std::array<Piece<T>, kStrips>& pieces) const {
    if constexpr (kRadius > 0) {
      substitute_fixed<kSide, kRadius, kResidual>(D(), by, pieces);
    } else {
      for (const Piece<T>& piece : pieces) substitute_any<kSide, kResidual>(D(), by, piece);
    }
  }

  Piece<T> piece(const Part& part, std::int64_t strip, std::int64_t n) {
    const std::int64_t offset = part.begin * kLanes;
    const T** finished = finished_.data() + n * view_.radius;
    for (std::int64_t dy = 1; dy <= view_.radius; ++dy) {
      finished[dy - 1] = row(part.i - dy, strip) + offset;
    }
    return {finished,
            b_.field == nullptr ? draw(part, strip, n) : read(part, strip, n),
            row(part.i, strip) + offset,
            residual_.data() + n * kColumns * kLanes};
  }

  // A piece starts inside a block of four pixels if the width is not a multiple of four.
  const T* draw(const Part& part, std::int64_t strip, std::int64_t n) const {
    const std::int64_t first = part.y * view_.width + part.begin;
    const std::int64_t lead = first % 4;
    T* to = rhs_.data() + n * kRhsSize;
    fill_lanes(D(),
               to,
               generator_,
               {b_.noise.first_block + static_cast<std::uint64_t>(first / 4),
                b_.noise.sample + static_cast<std::uint64_t>(strip * kLanes)},
               (lead + part.columns + 3) / 4);
    return to + lead * kLanes;
  }

  // Lanes without a sample repeat the last one's work.
  std::array<const T*, kLanes> sources(std::int64_t strip, std::int64_t at) const {
    std::array<const T*, kLanes> from;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t sample = std::min(strip * kLanes + lane, samples_ - 1);
      from[static_cast<std::size_t>(lane)] = b_.field + sample * view_.pixels() + at;
    }
    return from;
  }

  const T* read(const Part& part, std::int64_t strip, std::int64_t n) const {
    const std::int64_t at = part.y * view_.width + part.begin;
    prefetch_next(at, strip);
    T* to = rhs_.data() + n * kRhsSize;
    interleave(D(), to, sources(strip, at).data(), part.columns);
    return to;
  }

  // Right-hand sides are asked for before their turn.
  void prefetch_next(std::int64_t at, std::int64_t strip) const {
    const std::int64_t next = strip + kAtOnce;
    const std::int64_t next_at = next < strips_ ? at : at - kStep<kSide> * kColumns;
    if (next_at < 0 || next_at >= view_.pixels()) return;
    constexpr std::int64_t kInLine = 64 / sizeof(T);
    for (const T* from : sources(next < strips_ ? next : next - strips_, next_at)) {
      for (std::int64_t x = 0; x < kColumns; x += kInLine) __builtin_prefetch(from + x, 0, 2);
    }
  }

  void finish(const Part& part, std::int64_t strip, const Piece<T>& piece) {
    const std::int64_t at = part.y * view_.width + part.begin;
    std::array<T*, kLanes> to;
    to.fill(spare_.data() + part.begin);  // where lanes without a sample go
    for (std::int64_t lane = 0; lane < std::min(kLanes, samples_ - strip * kLanes); ++lane) {
      to[static_cast<std::size_t>(lane)] =
          sink_.values + (strip * kLanes + lane) * view_.pixels() + at;
    }
    const T* mean = sink_.mean == nullptr ? nullptr : sink_.mean + at;
    deinterleave(D(), to.data(), piece.solution, mean, part.columns, sink_.store);
    if (sink_.residual_squares == nullptr) return;
    double* sums = squares_.data() + strip * kLanes;
    add_squares(D(), sums, piece.residual, part.columns);
    add_squares(D(), sums + strips_ * kLanes, piece.rhs, part.columns);
  }

  FactorView<T> view_;
  RightHandSide<T> b_;
  Sink<T> sink_;
  std::int64_t samples_;
  std::int64_t strips_;
  NormalGenerator generator_;
  RowWeights<kSide, T> weights_;
  std::int64_t pitch_;
  AlignedBuffer<T> rows_;  // [r + 1][strips][r + W + r][lanes]
  AlignedBuffer<T> rhs_;
  AlignedBuffer<T> residual_;
  AlignedBuffer<T> spare_;
  std::vector<double> squares_;  // [2][strips][lanes]: of the residual, of the right-hand side
  std::vector<const T*> finished_;
};

template <Side kSide, std::int64_t kRadius, typename T>
void run(const FactorView<T>& view,
         const RightHandSide<T>& b,
         const Sink<T>& sink,
         std::int64_t samples) {
  if (samples <= 8) return Samples<kSide, kRadius, Tag<T, 8>>(view, b, sink, samples).run();
  Samples<kSide, kRadius, FullTag<T>>(view, b, sink, samples).run();
}

template <Side kSide, typename T>
void solve(const FactorView<T>& view,
           const RightHandSide<T>& b,
           const Sink<T>& sink,
           std::int64_t samples) {
  if (view.radius == 1) return run<kSide, 1>(view, b, sink, samples);
  if (view.radius == 2) return run<kSide, 2>(view, b, sink, samples);
  run<kSide, 0>(view, b, sink, samples);
}

#define SUPN_SOLVE(NAME, SIDE, T)              \
  void NAME(const FactorView<T>& view,         \
            const RightHandSide<T>& b,         \
            const Sink<T>& sink,               \
            std::int64_t samples) {            \
    solve<Side::SIDE>(view, b, sink, samples); \
  }
SUPN_SOLVE(solve_later_f32, kLater, float)
SUPN_SOLVE(solve_later_f64, kLater, double)
SUPN_SOLVE(solve_earlier_f32, kEarlier, float)
SUPN_SOLVE(solve_earlier_f64, kEarlier, double)
#undef SUPN_SOLVE

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn {

#define SUPN_SOLVE(NAME, SIDE, T)                                       \
  HWY_EXPORT(NAME);                                                     \
  template <>                                                           \
  void solve_samples_in_lanes<Side::SIDE, T>(const FactorView<T>& view, \
                                             const RightHandSide<T>& b, \
                                             const Sink<T>& sink,       \
                                             std::int64_t samples) {    \
    HWY_DYNAMIC_DISPATCH(NAME)(view, b, sink, samples);                 \
  }
SUPN_SOLVE(solve_later_f32, kLater, float)
SUPN_SOLVE(solve_later_f64, kLater, double)
SUPN_SOLVE(solve_earlier_f32, kEarlier, float)
SUPN_SOLVE(solve_earlier_f64, kEarlier, double)
#undef SUPN_SOLVE

}  // namespace supn
#endif
