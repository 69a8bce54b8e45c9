#include "gaussian/kernels/samples_by_class.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/samples_by_class.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include <array>
#include <utility>
#include <vector>

#include "gaussian/kernels/group_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::by_class::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using supn::HWY_NAMESPACE::add_squares;
using supn::HWY_NAMESPACE::fused_minus;
using supn::HWY_NAMESPACE::kLanesOf;

// Pixels of a row whose neighbours lie all inside the image.
template <typename T>
std::pair<std::int64_t, std::int64_t> inner_pixels(const ClassRow<T>& row, std::int64_t width) {
  std::int64_t begin = 0;
  std::int64_t end = row.count;
  for (const Neighbour<T>& neighbour : row.neighbours) {
    while (begin < end && neighbour.column + begin * row.apart < 0) ++begin;
    while (end > begin && neighbour.column + (end - 1) * row.apart >= width) --end;
  }
  return {begin, end};
}

template <class D>
class RowSolver {
 public:
  using T = hn::TFromD<D>;
  using V = hn::VFromD<D>;

  RowSolver(const Group<T>& group, const ClassRow<T>& row, std::int64_t strip, T* residual)
      : row_(row),
        width_(group.size.width),
        field_(strip_of<D>(group, strip)),
        own_(field_ + (row.row * pitch(width_) + row.column) * kLanesOf<D>),
        residual_(residual) {}

  void run() {
    const auto [begin, end] = inner_pixels(row_, width_);
    terms_.clear();
    for (const Neighbour<T>& neighbour : row_.neighbours) {
      terms_.push_back({neighbour.coefficients,
                        field_ + (neighbour.row * pitch(width_) + neighbour.column) * kLanesOf<D>});
    }
    std::int64_t j = row_.count - 1;
    for (; j >= end; --j) take_edge(j);
    if (terms_.size() == kUsualTerms) {
      for (; j >= begin; --j) take_inner(std::span<const Term, kUsualTerms>(terms_), j);
    } else {
      for (; j >= begin; --j) take_inner(std::span<const Term>(terms_), j);
    }
    for (; j >= 0; --j) take_edge(j);
  }

 private:
  // The coefficients of the row's pixels, and the first one's neighbour.
  struct Term {
    const T* coefficients;
    const T* field;
  };
  // K of the recommended network: the loop over them is then unrolled.
  static constexpr std::size_t kUsualTerms = 12;

  HWY_INLINE std::int64_t step() const { return row_.apart * kLanesOf<D>; }

  template <std::size_t kCount>
  HWY_INLINE void take_inner(std::span<const Term, kCount> terms, std::int64_t j) const {
    const D d;
    const std::int64_t offset = j * step();
    V value = hn::LoadU(d, own_ + offset);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      value = fused_minus(
          hn::Set(d, terms[i].coefficients[j]), hn::LoadU(d, terms[i].field + offset), value);
    }
    finish(j, value);
  }

  HWY_INLINE void take_edge(std::int64_t j) const {
    const D d;
    V value = hn::LoadU(d, own_ + j * step());
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const std::int64_t column = row_.neighbours[i].column + j * row_.apart;
      if (column < 0 || column >= width_) continue;
      value = fused_minus(
          hn::Set(d, terms_[i].coefficients[j]), hn::LoadU(d, terms_[i].field + j * step()), value);
    }
    finish(j, value);
  }

  HWY_INLINE void finish(std::int64_t j, V target) const {
    const D d;
    const V inverse = hn::Set(d, row_.inverse[j]);
    const V solution = hn::Mul(target, inverse);
    hn::StoreU(solution, d, own_ + j * step());
    if (residual_ == nullptr) return;
    hn::StoreU(hn::Sub(hn::Div(solution, inverse), target), d, residual_ + j * kLanesOf<D>);
  }

  const ClassRow<T>& row_;
  std::int64_t width_;
  T* field_;
  T* own_;
  T* residual_;
  std::vector<Term> terms_;
};

template <class D, typename T = hn::TFromD<D>>
void substitute_row(const Group<T>& group, const ClassRow<T>& row, double* residual_squares) {
  std::vector<T> residual;
  if (residual_squares != nullptr) {
    residual.resize(static_cast<std::size_t>(row.count * kLanesOf<D>));
  }
  T* to = residual_squares == nullptr ? nullptr : residual.data();
  for (std::int64_t strip = 0; strip < strips_of<D>(group); ++strip) {
    RowSolver<D>(group, row, strip, to).run();
    if (residual_squares == nullptr) continue;
    std::array<double, kLanesOf<D>> sums{};
    add_squares(D(), sums.data(), residual.data(), row.count);
    const std::int64_t first = strip * kLanesOf<D>;
    for (std::int64_t lane = 0; lane < std::min(kLanesOf<D>, group.samples - first); ++lane) {
      residual_squares[first + lane] += sums[static_cast<std::size_t>(lane)];
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
  void read_##SUFFIX(const Group<T>& g, const RightHandSide<T>& b, double* squares) {            \
    with_lanes_for<T>(g.samples, [&](auto d) { read_all<decltype(d)>(g, b, squares); });         \
  }                                                                                              \
  void substitute_##SUFFIX(const Group<T>& g, const ClassRow<T>& row, double* squares) {         \
    with_lanes_for<T>(g.samples, [&](auto d) { substitute_row<decltype(d)>(g, row, squares); }); \
  }                                                                                              \
  void write_##SUFFIX(const Group<T>& g, const Sink<T>& sink, const Rows& rows) {                \
    with_lanes_for<T>(g.samples, [&](auto d) { write_rows<decltype(d)>(g, sink, rows); });       \
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

#define SUPN_BY_CLASS(T, SUFFIX)                                                             \
  void read(const Group<T>& group, const RightHandSide<T>& b, double* rhs_squares) {         \
    HWY_DYNAMIC_DISPATCH(read_##SUFFIX)(group, b, rhs_squares);                              \
  }                                                                                          \
  void substitute(const Group<T>& group, const ClassRow<T>& row, double* residual_squares) { \
    HWY_DYNAMIC_DISPATCH(substitute_##SUFFIX)(group, row, residual_squares);                 \
  }                                                                                          \
  void write(const Group<T>& group, const Sink<T>& sink, const Rows& rows) {                 \
    HWY_DYNAMIC_DISPATCH(write_##SUFFIX)(group, sink, rows);                                 \
  }
SUPN_BY_CLASS(float, f32)
SUPN_BY_CLASS(double, f64)
#undef SUPN_BY_CLASS

}  // namespace supn::by_class
#endif
