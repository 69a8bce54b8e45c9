// A row's pixels multiply by weights, pixel by pixel: their coefficients side by side in the order
// of the terms, then e^−φ and e^φ. Included once per instruction set.
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/elementary-inl.hpp"
#include "gaussian/kernels/factor_view.hpp"

#if defined(SUPN_ROW_WEIGHTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_ROW_WEIGHTS_INL
#undef SUPN_ROW_WEIGHTS_INL
#else
#define SUPN_ROW_WEIGHTS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

// Rounded up, so that squares of 8 maps and 8 columns are transposed.
constexpr std::int64_t weight_count(std::int64_t radius) {
  return (tap_count(radius) + 2 + 7) / 8 * 8;
}

template <Side kSide, typename T>
class RowWeights {
 public:
  explicit RowWeights(const FactorView<T>& view)
      : view_(view),
        count_(weight_count(view.radius)),
        maps_(static_cast<std::size_t>(count_)),
        weights_(view.width * count_),
        diagonals_(3 * view.width + 2 * view.radius) {
    std::fill_n(zeros() - view.radius, view.width + 2 * view.radius, T{0});
  }

  // Fills in the weights of row y. A coefficient whose neighbour is outside the image is 0.
  void fill(std::int64_t y) {
    find_maps(y);
    const std::int64_t radius = view_.radius;
    const std::int64_t begin = std::min(radius, view_.width);
    const std::int64_t end = std::max(begin, view_.width - radius);
    std::int64_t x = begin;
    for (; x + kLine <= end; x += kLine) set_line(x);
    for (std::int64_t edge = 0; edge < begin; ++edge) set_column(edge);
    for (; x < view_.width; ++x) set_column(x);
  }

  std::int64_t count() const { return count_; }
  const T* at(std::int64_t x) const { return weights_.data() + x * count_; }

  // The maps are more streams than a processor follows by itself; a row of them is asked for while
  // the row before is in work: map after map, since memory is quick in long stretches only. This is
  // the part-th of some parts.
  void prefetch(std::int64_t y, std::int64_t part, std::int64_t parts) const {
    if (y < 0 || y >= view_.height) return;
    const std::int64_t maps = tap_count(view_.radius) + 1;
    constexpr std::int64_t kInLine = 64 / sizeof(T);
    for (std::int64_t k = part * maps / parts; k < (part + 1) * maps / parts; ++k) {
      const T* from = k + 1 < maps ? view_.off_diagonal + k * view_.pixels() : view_.log_diagonal;
      from += y * view_.width;
      for (std::int64_t x = 0; x < view_.width; x += kInLine) __builtin_prefetch(from + x, 0, 2);
    }
  }

 private:
  // Whole cache lines of the maps at a time: maps are often whole pages apart, and all of them at
  // once would drive each other out of the nearest cache.
  static constexpr std::int64_t kLine = 16;

  T* inverse() const { return diagonals_.data(); }
  T* direct() const { return diagonals_.data() + view_.width; }
  T* zeros() const { return diagonals_.data() + 2 * view_.width + view_.radius; }

  void find_maps(std::int64_t y) {
    const std::int64_t rows = rows_within_reach<kSide>(view_, y);
    const std::int64_t products = tap_count(view_.radius);
    std::fill(maps_.begin(), maps_.end(), zeros());
    for (std::int64_t j = 0; j < products; ++j) {
      const Offset offset = tap(view_.radius, j);
      if (offset.dy > rows) continue;
      maps_[static_cast<std::size_t>(j)] = coefficients<kSide>(view_, offset, y);
    }
    maps_[static_cast<std::size_t>(products)] = inverse();
    maps_[static_cast<std::size_t>(products) + 1] = direct();
    const FullTag<T> d;
    const T* phi = view_.log_diagonal + y * view_.width;
    const auto positive = [=](auto v) SUPN_LAMBDA { return exponential(d, v); };
    const auto negative = [=](auto v) SUPN_LAMBDA { return exponential(d, hn::Neg(v)); };
    for_each_element(direct(), view_.width, positive, phi);
    for_each_element(inverse(), view_.width, negative, phi);
  }

  void set_line(std::int64_t x) {
    const Tag<T, 8> d;
    constexpr std::size_t kLanes = hn::MaxLanes(Tag<T, 8>());
    constexpr auto kStride = static_cast<std::int64_t>(kLanes);
    for (std::int64_t j = 0; j < count_; j += kStride) {
      for (std::int64_t start = x; start < x + kLine; start += kStride) {
        hn::VFromD<decltype(d)> square[kLanes];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kLanes; ++i) {
          square[i] = hn::LoadU(d, maps_[static_cast<std::size_t>(j) + i] + start);
        }
        transpose(d, square);
        T* to = weights_.data() + start * count_ + j;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kLanes; ++i, to += count_) hn::StoreU(square[i], d, to);
      }
    }
  }

  void set_column(std::int64_t x) {
    T* to = weights_.data() + x * count_;
    for (std::int64_t j = 0; j < count_; ++j) {
      const bool product = j < tap_count(view_.radius);
      const std::int64_t neighbour = x + (product ? kStep<kSide> * tap(view_.radius, j).dx : 0);
      const bool inside = neighbour >= 0 && neighbour < view_.width;
      to[j] = inside ? maps_[static_cast<std::size_t>(j)][x] : T{0};
    }
  }

  FactorView<T> view_;
  std::int64_t count_;
  std::vector<const T*> maps_;  // element x is what column x needs
  AlignedBuffer<T> weights_;    // [W][count]
  AlignedBuffer<T> diagonals_;  // e^−φ, e^φ, zeros
};

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
