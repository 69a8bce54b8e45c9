#include "gaussian/kernels/samples_by_class.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/samples_by_class.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include <algorithm>
#include <array>

#include "gaussian/kernels/group_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::by_class::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using supn::HWY_NAMESPACE::add_squares;
using supn::HWY_NAMESPACE::fused_minus;
using supn::HWY_NAMESPACE::kLanesOf;

template <class D>
class RowSolver {
 public:
  using T = hn::TFromD<D>;
  using V = hn::VFromD<D>;

  // Adds to the squares [lane], unless null.
  RowSolver(const Group<T>& group, const ClassRow<T>& row, std::int64_t strip, double* squares)
      : row_(row),
        places_(group.places),
        width_(group.size.width),
        field_(strip_of<D>(group, strip)),
        own_(at(row.row, row.column)),
        step_(row.apart / places_.period() * kLanesOf<D>),
        squares_(squares) {
    for (const Neighbour& neighbour : row.neighbours) {
      terms_[count_++] = {row.coefficients + neighbour.channel * row.channel_apart,
                          at(neighbour.row, neighbour.column)};
    }
  }

  void run() const {
    std::int64_t j = row_.count;
    while (j > row_.inner_end) take_edge(--j);
    for (; j - row_.inner_begin >= kAtOnce; j -= kAtOnce) take_inner<kAtOnce>(j - kAtOnce);
    while (j > row_.inner_begin) take_inner<1>(--j);
    while (j > 0) take_edge(--j);
  }

 private:
  // The coefficients of the row's pixels, and pixel 0's neighbour.
  struct Term {
    const T* coefficients;
    const T* field;
  };

  // Pixels whose chains of products are under way at once.
  static constexpr std::int64_t kAtOnce = 8;
  // K of the recommended network: the loop over them is then unrolled.
  static constexpr std::size_t kUsualTerms = 12;

  T* at(std::int64_t row, std::int64_t column) const {
    return field_ + places_.of(row, column) * kLanesOf<D>;
  }

  template <std::int64_t kPixels>
  HWY_INLINE void take_inner(std::int64_t j) const {
    if (count_ == kUsualTerms) return take_inner<kPixels>(j, kUsualTerms);
    take_inner<kPixels>(j, count_);
  }

  // The next row's coefficients are asked for meanwhile: they come from memory, and the processor
  // foresees no rows as short as a class's.
  template <std::int64_t kPixels>
  HWY_INLINE void take_inner(std::int64_t j, std::size_t count) const {
    const D d;
    T* const own = own_ + j * step_;
    V values[kPixels];
    if (kPixels > 1) __builtin_prefetch(row_.inverse + j + row_.row_apart);
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kPixels; ++i) values[i] = hn::LoadU(d, own + i * step_);
#pragma GCC unroll 12
    for (std::size_t k = 0; k < count; ++k) {
      const T* const coefficients = terms_[k].coefficients + j;
      const T* const field = terms_[k].field + j * step_;
      if (kPixels > 1) __builtin_prefetch(coefficients + row_.row_apart);
#pragma GCC unroll 8
      for (std::int64_t i = 0; i < kPixels; ++i) {
        const V neighbour = hn::LoadU(d, field + i * step_);
        values[i] = fused_minus(hn::Set(d, coefficients[i]), neighbour, values[i]);
      }
    }
    finish(j, values, own);
  }

  HWY_INLINE void take_edge(std::int64_t j) const {
    const D d;
    T* const own = at(row_.row, row_.column + j * row_.apart);
    V values[1] = {hn::LoadU(d, own)};
    for (std::size_t k = 0; k < count_; ++k) {
      const Neighbour& neighbour = row_.neighbours[k];
      const std::int64_t column = neighbour.column + j * row_.apart;
      if (column < 0 || column >= width_) continue;
      values[0] = fused_minus(hn::Set(d, terms_[k].coefficients[j]),
                              hn::LoadU(d, at(neighbour.row, column)),
                              values[0]);
    }
    finish(j, values, own);
  }

  template <std::int64_t kPixels>
  HWY_INLINE void finish(std::int64_t j, const V (&targets)[kPixels], T* own) const {
    const D d;
    V solutions[kPixels];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kPixels; ++i) {
      solutions[i] = hn::Mul(targets[i], hn::Set(d, row_.inverse[j + i]));
      hn::StoreU(solutions[i], d, own + i * step_);
    }
    if (squares_ == nullptr) return;
    HWY_ALIGN T residual[kPixels * kLanesOf<D>];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kPixels; ++i) {
      const V inverse = hn::Set(d, row_.inverse[j + i]);
      const V left = hn::Sub(hn::Div(solutions[i], inverse), targets[i]);
      hn::Store(left, d, residual + i * kLanesOf<D>);
    }
    add_squares(d, squares_, residual, kPixels);
  }

  const ClassRow<T>& row_;
  const Places& places_;
  std::int64_t width_;
  T* field_;
  T* own_;
  std::int64_t step_;
  double* squares_;
  std::size_t count_ = 0;
  std::array<Term, kMostNeighbours> terms_;
};

template <class D, typename T = hn::TFromD<D>>
void substitute_row(const Group<T>& group, const ClassRow<T>& row, double* residual_squares) {
  for (std::int64_t strip = 0; strip < strips_of<D>(group); ++strip) {
    std::array<double, kLanesOf<D>> squares{};
    RowSolver<D>(group, row, strip, residual_squares == nullptr ? nullptr : squares.data()).run();
    if (residual_squares == nullptr) continue;
    const std::int64_t first = strip * kLanesOf<D>;
    for (std::int64_t lane = 0; lane < std::min(kLanesOf<D>, group.samples - first); ++lane) {
      residual_squares[first + lane] += squares[static_cast<std::size_t>(lane)];
    }
  }
}

// run(tag) with vectors that are no wider than the samples need.
template <typename T, class Run>
void with_lanes_for(std::int64_t samples, const Run& run) {
  if (samples <= 4) return run(supn::HWY_NAMESPACE::Tag<T, 4>());
  if (samples <= 8) return run(supn::HWY_NAMESPACE::Tag<T, 8>());
  run(supn::HWY_NAMESPACE::FullTag<T>());
}

#define SUPN_BY_CLASS(T, SUFFIX)                                                                 \
  void read_##SUFFIX(                                                                            \
      const Group<T>& g, const RightHandSide<T>& b, std::int64_t row, double* squares) {         \
    with_lanes_for<T>(g.samples, [&](auto d) { read_lanes<decltype(d)>(g, b, row, squares); });  \
  }                                                                                              \
  void substitute_##SUFFIX(const Group<T>& g, const ClassRow<T>& row, double* squares) {         \
    with_lanes_for<T>(g.samples, [&](auto d) { substitute_row<decltype(d)>(g, row, squares); }); \
  }                                                                                              \
  void write_##SUFFIX(const Group<T>& g, const Sink<T>& sink, std::int64_t row) {                \
    with_lanes_for<T>(g.samples, [&](auto d) { write_lanes<decltype(d)>(g, sink, row); });       \
  }
SUPN_BY_CLASS(float, f32)
SUPN_BY_CLASS(double, f64)
#undef SUPN_BY_CLASS

}  // namespace
}  // namespace supn::by_class::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::by_class {
namespace {

HWY_EXPORT(read_f32);
HWY_EXPORT(read_f64);
HWY_EXPORT(substitute_f32);
HWY_EXPORT(substitute_f64);
HWY_EXPORT(write_f32);
HWY_EXPORT(write_f64);

}  // namespace

#define SUPN_BY_CLASS(T, SUFFIX)                                                                 \
  void read(                                                                                     \
      const Group<T>& group, const RightHandSide<T>& b, std::int64_t row, double* rhs_squares) { \
    HWY_DYNAMIC_DISPATCH(read_##SUFFIX)(group, b, row, rhs_squares);                             \
  }                                                                                              \
  void substitute(const Group<T>& group, const ClassRow<T>& row, double* residual_squares) {     \
    HWY_DYNAMIC_DISPATCH(substitute_##SUFFIX)(group, row, residual_squares);                     \
  }                                                                                              \
  void write(const Group<T>& group, const Sink<T>& sink, std::int64_t row) {                     \
    HWY_DYNAMIC_DISPATCH(write_##SUFFIX)(group, sink, row);                                      \
  }
SUPN_BY_CLASS(float, f32)
SUPN_BY_CLASS(double, f64)
#undef SUPN_BY_CLASS

}  // namespace supn::by_class
#endif
