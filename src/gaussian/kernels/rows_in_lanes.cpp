#include "gaussian/kernels/rows_in_lanes.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/rows_in_lanes.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include <hwy/cache_control.h>

#include <thread>

#include "gaussian/kernels/elementary-inl.hpp"
#include "gaussian/kernels/row_block-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

// Says whether all that a block needs is inside the image.
enum class Place { kInside, kEdge };

template <Side kSide, std::int64_t kRadius, typename T>
class StripSolver {
 public:
  StripSolver(const FactorView<T>& view, const Strip<T>& strip)
      : view_(view),
        rows_(std::min(kRows<T>, view.height - strip.first_row)),
        top_(kBackwards ? view.height - strip.first_row - rows_ : strip.first_row),
        first_row_(strip.first_row),
        rhs_(strip.rhs - top_ * view.width),
        solution_(strip.solution) {
    for (std::int64_t j = 0; j < kTaps; ++j) {
      const Offset offset = tap(kRadius, j);
      maps_[j] = coefficients<kSide>(view, offset, kBackwards ? 0 : offset.dy) -
                 (kBackwards ? 0 : offset.dy * view.width);
    }
  }

  void run(const StripProgress& progress) {
    Chain history[kGroups<T>][kRadius];
    for (auto& group : history) {
      for (Chain& solution : group) solution = hn::Zero(Lanes());
    }
    const std::int64_t blocks = (view_.width + (kRows<T> - 1) * kLag + kColumns - 1) / kColumns;
    for (std::int64_t block = 0; block < blocks; ++block) {
      wait_for(progress, block, blocks);
      for (std::int64_t row = 0; row < rows_; ++row) {
        const std::int64_t u = block * kColumns - row * kLag;
        if (is_inside(row, u)) {
          gather<Place::kInside>(row, u);
        } else if (u + kColumns <= 0 || u >= view_.width) {
          clear(row);
        } else {
          gather<Place::kEdge>(row, u);
        }
      }
      run_chains(history);
      for (std::int64_t row = 0; row < rows_; ++row) store(row, block * kColumns - row * kLag);
      progress.own->store(block + 1, std::memory_order_release);
    }
  }

 private:
  using D = FullTag<T>;
  using V = hn::VFromD<D>;
  using Lanes = Tag<T, 8>;
  using Chain = hn::VFromD<Lanes>;
  static constexpr std::int64_t kColumns = HWY_NAMESPACE::kColumns<T>;
  static constexpr std::int64_t kLag = kColumns + kRadius;
  static constexpr std::int64_t kTaps = tap_count(kRadius);
  static constexpr bool kBackwards = kSide == Side::kLater;

  // u counts columns in the order of the substitution. The first pixel in memory of a row's block:
  std::int64_t start(std::int64_t row, std::int64_t u) const {
    const std::int64_t y = top_ + (kBackwards ? rows_ - 1 - row : row);
    return y * view_.width + (kBackwards ? view_.width - kColumns - u : u);
  }

  // Tells whether the whole windows of a block are inside the image.
  bool is_inside(std::int64_t row, std::int64_t u) const {
    return first_row_ + row >= kRadius && u >= kRadius && u + kColumns + kRadius <= view_.width;
  }

  // Elements of a block's row that are in the image's columns, as are their neighbours dx to the
  // right in memory; the others are 0.
  template <Place kPlace>
  HWY_INLINE V load(const T* from, std::int64_t x, std::int64_t dx) const {
    if constexpr (kPlace == Place::kInside) return hn::LoadU(D(), from);
    const std::int64_t begin = std::max<std::int64_t>(0, -dx) - x;
    return load_between(D(), from, begin, std::min(view_.width, view_.width - dx) - x);
  }

  // A neighbour outside the image and its coefficient are 0, which leaves every value as it is.
  template <Place kPlace>
  HWY_INLINE void gather(std::int64_t row, std::int64_t u) {
    constexpr std::int64_t kSign = kStep<kSide>;
    const std::int64_t x = kBackwards ? view_.width - kColumns - u : u;
    const std::int64_t at = start(row, u);
    const std::int64_t lane = row % kLanes<T>;
    const std::int64_t rows = kPlace == Place::kInside ? kRadius : first_row_ + row;
    Block<kRadius, T>& block = blocks_[row / kLanes<T>];
    V value = load<kPlace>(rhs_ + at, x, 0);
    const T* const* map = maps_;
#pragma GCC unroll 2
    for (std::int64_t dy = kRadius; dy >= 1; --dy) {
      if (kPlace == Place::kEdge && dy > rows) {
        map += 2 * kRadius + 1;
        continue;
      }
      const T* neighbours = solution_ + at + kSign * dy * view_.width;
#pragma GCC unroll 5
      for (std::int64_t dx = -kRadius; dx <= kRadius; ++dx) {
        const V neighbour = load<kPlace>(neighbours + kSign * dx, x, kSign * dx);
        value = fused_minus(load<kPlace>(*map++ + at, x, kSign * dx), neighbour, value);
      }
    }
    block.values.set(lane, value);
#pragma GCC unroll 2
    for (std::int64_t dx = kRadius; dx >= 1; --dx) {
      block.own[dx - 1].set(lane, load<kPlace>(*map++ + at, x, kSign * dx));
    }
    const V log_diagonal = load<kPlace>(view_.log_diagonal + at, x, 0);
    block.inverse.set(lane, exponential(D(), hn::Neg(log_diagonal)));
    if (u / kColumns * kColumns % kInLine < kColumns) prefetch(at);
  }

  // The maps are more streams than a processor follows by itself.
  HWY_INLINE void prefetch(std::int64_t at) const {
    const std::int64_t ahead = at - kStep<kSide> * 4 * kInLine;
#pragma GCC unroll 12
    for (const T* map : maps_) __builtin_prefetch(map + ahead);
    __builtin_prefetch(view_.log_diagonal + ahead);
    __builtin_prefetch(rhs_ + ahead);
  }

  // Sets the solutions of a row that has not begun or is at its end to 0.
  HWY_INLINE void clear(std::int64_t row) {
    const V zero = hn::Zero(D());
    Block<kRadius, T>& block = blocks_[row / kLanes<T>];
    block.values.set(row % kLanes<T>, zero);
    for (Square<T>& own : block.own) own.set(row % kLanes<T>, zero);
    block.inverse.set(row % kLanes<T>, zero);
  }

  // history: the rows' last solutions, nearest first.
  HWY_INLINE void run_chains(Chain (&history)[kGroups<T>][kRadius]) {
    for (Block<kRadius, T>& block : blocks_) {
      block.values.to_columns();
      for (Square<T>& own : block.own) own.to_columns();
      block.inverse.to_columns();
    }
#pragma GCC unroll 16
    for (std::int64_t step = 0; step < kColumns; ++step) {
      const std::int64_t i = kBackwards ? kColumns - 1 - step : step;
#pragma GCC unroll 2
      for (std::int64_t g = 0; g < kGroups<T>; ++g) advance(history[g], blocks_[g], i);
    }
    for (Block<kRadius, T>& block : blocks_) block.values.to_rows();
  }

  HWY_INLINE void advance(Chain (&history)[kRadius], Block<kRadius, T>& block, std::int64_t i) {
    const Lanes d;
    Chain value = hn::Load(d, block.values.columns[i]);
#pragma GCC unroll 2
    for (std::int64_t dx = kRadius; dx >= 1; --dx) {
      value = fused_minus(hn::Load(d, block.own[dx - 1].columns[i]), history[dx - 1], value);
    }
    if constexpr (kRadius == 2) history[1] = history[0];
    history[0] = hn::Mul(value, hn::Load(d, block.inverse.columns[i]));
    hn::Store(history[0], d, block.values.columns[i]);
  }

  HWY_INLINE void store(std::int64_t row, std::int64_t u) {
    const D d;
    const T* from = blocks_[row / kLanes<T>].values.rows[row % kLanes<T>];
    T* to = solution_ + start(row, u);
    if (u >= 0 && u + kColumns <= view_.width) {
      hn::StoreU(hn::Load(d, from), d, to);
      return;
    }
    for (std::int64_t i = 0; i < kColumns; ++i) {
      const std::int64_t column = kBackwards ? u + kColumns - 1 - i : u + i;
      if (column >= 0 && column < view_.width) to[i] = from[i];
    }
  }

  // The first row's windows reach r columns beyond the block, into the last row of the strip
  // before. Who has to wait, waits for a few blocks more, so that the strips' lines change hands
  // less often.
  void wait_for(const StripProgress& progress, std::int64_t block, std::int64_t blocks) {
    if (progress.before == nullptr) return;
    constexpr std::int64_t kSpare = 2;
    constexpr std::int64_t kSpins = 1 << 12;  // then let others run: there may be few processors
    const std::int64_t columns = std::min(view_.width, (block + 1) * kColumns + kRadius);
    const std::int64_t needed = (columns + (kRows<T> - 1) * kLag + kColumns - 1) / kColumns;
    if (seen_ >= needed) return;
    const std::int64_t enough = std::min(blocks, needed + kSpare);
    for (std::int64_t spins = 0;; ++spins) {
      seen_ = progress.before->load(std::memory_order_acquire);
      if (seen_ >= enough) return;
      if (spins < kSpins) {
        hwy::Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  static constexpr std::int64_t kInLine = 64 / sizeof(T);

  FactorView<T> view_;
  std::int64_t rows_;  // of this strip that the image has
  std::int64_t top_;   // the first of them in memory
  std::int64_t first_row_;
  const T* rhs_;  // as if of the whole image
  T* solution_;
  std::int64_t seen_ = 0;
  const T* maps_[kTaps];  // element n is what pixel n needs
  Block<kRadius, T> blocks_[kGroups<T>] = {};
};

std::int64_t rows_f32() { return kRows<float>; }
std::int64_t rows_f64() { return kRows<double>; }

#define SUPN_SOLVE(NAME, SIDE, T)                                                \
  void NAME(const FactorView<T>& v, const Strip<T>& s, const StripProgress& p) { \
    if (v.radius == 1) return StripSolver<Side::SIDE, 1, T>(v, s).run(p);        \
    StripSolver<Side::SIDE, 2, T>(v, s).run(p);                                  \
  }
SUPN_SOLVE(later_f32, kLater, float)
SUPN_SOLVE(later_f64, kLater, double)
SUPN_SOLVE(earlier_f32, kEarlier, float)
SUPN_SOLVE(earlier_f64, kEarlier, double)
#undef SUPN_SOLVE

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn {

#define SUPN_DISPATCH(T, ROWS, LATER, EARLIER)                                \
  HWY_EXPORT(ROWS);                                                           \
  HWY_EXPORT(LATER);                                                          \
  HWY_EXPORT(EARLIER);                                                        \
  template <>                                                                 \
  std::int64_t rows_of_strip<T>() {                                           \
    return HWY_DYNAMIC_DISPATCH(ROWS)();                                      \
  }                                                                           \
  template <>                                                                 \
  void solve_rows_in_lanes<Side::kLater, T>(                                  \
      const FactorView<T>& view, const Strip<T>& s, const StripProgress& p) { \
    HWY_DYNAMIC_DISPATCH(LATER)(view, s, p);                                  \
  }                                                                           \
  template <>                                                                 \
  void solve_rows_in_lanes<Side::kEarlier, T>(                                \
      const FactorView<T>& view, const Strip<T>& s, const StripProgress& p) { \
    HWY_DYNAMIC_DISPATCH(EARLIER)(view, s, p);                                \
  }
SUPN_DISPATCH(float, rows_f32, later_f32, earlier_f32)
SUPN_DISPATCH(double, rows_f64, later_f64, earlier_f64)
#undef SUPN_DISPATCH

}  // namespace supn
#endif
