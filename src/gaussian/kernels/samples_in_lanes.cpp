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

// How a radius is substituted: some strips together, whose chains fill each other's gaps as far as
// there are registers, and a strip that is left over.
template <typename T>
struct PieceSolvers {
  std::int64_t strips;
  PieceSolver<T> together;
  PieceSolver<T> alone;
};
inline constexpr std::int64_t kMostStrips = 2;

template <Side kSide, std::int64_t kRadius, Residual kResidual, class D, std::int64_t kStrips>
PieceSolvers<hn::TFromD<D>> fixed_solvers() {
  return {kStrips,
          &substitute_fixed<kSide, kRadius, kResidual, D, kStrips>,
          &substitute_fixed<kSide, kRadius, kResidual, D, 1>};
}

template <Side kSide, Residual kResidual, class D>
PieceSolvers<hn::TFromD<D>> solvers_of(std::int64_t radius) {
  constexpr std::int64_t kOfRadius2 = HWY_TARGET <= HWY_AVX3 ? kMostStrips : 1;
  if (radius == 1) return fixed_solvers<kSide, 1, kResidual, D, kMostStrips>();
  if (radius == 2) return fixed_solvers<kSide, 2, kResidual, D, kOfRadius2>();
  const auto any = &substitute_any<kSide, kResidual, D>;
  return {1, any, any};
}

template <Side kSide, class D>
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
        solvers_(kSide == Side::kLater && sink.residual_squares != nullptr
                     ? solvers_of<Side::kLater, Residual::kStored, D>(view.radius)
                     : solvers_of<kSide, Residual::kNone, D>(view.radius)),
        generator_(b.noise.seed),
        weights_(view),
        pitch_((view.width + 2 * view.radius) * kLanes),
        rows_((view.radius + 1) * strips_ * pitch_),
        rhs_(solvers_.strips * kRhsSize),
        residual_(solvers_.strips * kColumns * kLanes),
        spare_(view.width),
        squares_(static_cast<std::size_t>(2 * strips_ * kLanes), 0.0),
        finished_(static_cast<std::size_t>(solvers_.strips * view.radius)) {
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
        const PieceWeights<T> by{weights_.at(begin), weights_.count(), part.columns, view_.radius};
        std::array<Piece<T>, kMostStrips> taken;
        for (std::int64_t s = 0, count = 0; s < strips_; s += count) {
          const bool together = s + solvers_.strips <= strips_;
          count = together ? solvers_.strips : 1;
          for (std::int64_t n = 0; n < count; ++n) {
            taken[static_cast<std::size_t>(n)] = piece(part, s + n, n);
          }
          (together ? solvers_.together : solvers_.alone)(by, taken.data());
          for (std::int64_t n = 0; n < count; ++n) {
            finish(part, s + n, taken[static_cast<std::size_t>(n)]);
          }
        }
      }
    }
    hwy::FlushStream();
    if (sink_.residual_squares != nullptr) {
      std::copy_n(squares_.data(), samples_, sink_.residual_squares);
      std::copy_n(squares_.data() + strips_ * kLanes, samples_, sink_.rhs_squares);
    }
  }

 private:
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
    const std::int64_t next = strip + solvers_.strips;
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
  PieceSolvers<T> solvers_;
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

#define SUPN_SOLVE(NAME, SIDE, T)                                                          \
  void NAME(const FactorView<T>& view,                                                     \
            const RightHandSide<T>& b,                                                     \
            const Sink<T>& sink,                                                           \
            std::int64_t samples) {                                                        \
    if (samples <= 8) return Samples<Side::SIDE, Tag<T, 8>>(view, b, sink, samples).run(); \
    Samples<Side::SIDE, FullTag<T>>(view, b, sink, samples).run();                         \
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
