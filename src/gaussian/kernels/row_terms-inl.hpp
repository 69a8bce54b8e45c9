// A row's neighbours' products, taken along the row in vectors. Included once per instruction set.
#include "gaussian/kernels/rows.hpp"
#include "gaussian/kernels/simd-inl.hpp"

#if defined(SUPN_ROW_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_ROW_TERMS_INL
#undef SUPN_ROW_TERMS_INL
#else
#define SUPN_ROW_TERMS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

enum class Sign { kAdd, kSubtract };
enum class Terms { kAll, kOtherRows };

// kRadius 0 is as large as the row says.
template <Side kSide, std::int64_t kRadius, Sign kSign, Terms kTerms, typename T>
class RowTerms {
 public:
  HWY_INLINE explicit RowTerms(const row::FactorRow<T>& row)
      : row_(row), rows_(rows_within_reach<kSide>(row.view, row.y)) {}

  // Calls, for all columns, a cache line of vectors at a time and single ones at the ends:
  // finish(d, x, start(d, x) ± terms). Columns may come twice.
  template <class Start, class Finish>
  HWY_INLINE void run(const Start& start, const Finish& finish) const {
    const std::int64_t width = row_.view.width;
    const std::int64_t begin = std::min(radius(), width);
    const std::int64_t end = std::max(begin, width - radius());
    std::int64_t x = begin;
    for (; x + kLine <= end; x += kLine) take_line(x, start, finish);
    if (x < end && end - begin >= kLine) {
      take_line(end - kLine, start, finish);
      x = end;
    }
    for (std::int64_t edge = 0; edge < begin; ++edge) take_column(edge, start, finish);
    for (; x < width; ++x) take_column(x, start, finish);
  }

 private:
  using D = FullTag<T>;
  using V = hn::VFromD<D>;
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  // A line of each map is taken at once: maps are often whole pages apart, and the second half
  // would be gone from the nearest cache.
  static constexpr std::int64_t kVectors =
      std::max<std::int64_t>(1, 64 / static_cast<std::int64_t>(sizeof(T)) / kLanes);
  static constexpr std::int64_t kLine = kVectors * kLanes;

  HWY_INLINE std::int64_t radius() const { return kRadius > 0 ? kRadius : row_.view.radius; }

  // Leads to the coefficients and the field of the next offset to the right.
  HWY_INLINE std::int64_t map_step() const {
    return row_.view.pixels() - (kSide == Side::kLater ? 0 : 1);
  }

  template <class VD>
  static HWY_INLINE VD added(VD value, VD coefficient, VD neighbour) {
    return kSign == Sign::kAdd ? fused(coefficient, neighbour, value)
                               : fused_minus(coefficient, neighbour, value);
  }

  HWY_INLINE void add_term(V (&values)[kVectors], const T* map, const T* field) const {
    __builtin_prefetch(map + 4096 / sizeof(T), 0, 2);
    for (std::int64_t v = 0; v < kVectors; ++v) {
      values[v] =
          added(values[v], hn::LoadU(D(), map + v * kLanes), hn::LoadU(D(), field + v * kLanes));
    }
  }

  template <class Start, class Finish>
  HWY_INLINE void take_line(std::int64_t x, const Start& start, const Finish& finish) const {
    V values[kVectors];
    for (std::int64_t v = 0; v < kVectors; ++v) values[v] = start(D(), x + v * kLanes);
    for (std::int64_t dy = rows_; dy >= 1; --dy) {
      const T* map = coefficients<kSide>(row_.view, {dy, -radius()}, row_.y) + x;
      const T* field = row_.field + kStep<kSide> * (dy * row_.view.width - radius()) + x;
      const std::int64_t span = 2 * radius() + 1;
#pragma GCC unroll 5
      for (std::int64_t i = 0; i < span; ++i) {
        add_term(values, map, field);
        map += map_step();
        field += kStep<kSide>;
      }
    }
    if constexpr (kTerms == Terms::kAll) {
      std::int64_t dx = radius();
#pragma GCC unroll 2
      for (; dx >= 1; --dx) {
        add_term(values,
                 coefficients<kSide>(row_.view, {0, dx}, row_.y) + x,
                 row_.field + kStep<kSide> * dx + x);
      }
    }
    for (std::int64_t v = 0; v < kVectors; ++v) finish(D(), x + v * kLanes, values[v]);
  }

  // A column whose window the image's edge cuts.
  template <class Start, class Finish>
  HWY_INLINE void take_column(std::int64_t x, const Start& start, const Finish& finish) const {
    const Tag<T, 1> d;
    auto value = start(d, x);
    for (std::int64_t j = 0; j < tap_count(radius()); ++j) {
      const Offset offset = tap(radius(), j);
      const std::int64_t neighbour = x + kStep<kSide> * offset.dx;
      if (offset.dy > rows_ || neighbour < 0 || neighbour >= row_.view.width) continue;
      if (kTerms == Terms::kOtherRows && offset.dy == 0) continue;
      const T* field = row_.field + kStep<kSide> * offset.dy * row_.view.width;
      value = added(value,
                    hn::Set(d, coefficients<kSide>(row_.view, offset, row_.y)[x]),
                    hn::Set(d, field[neighbour]));
    }
    finish(d, x, value);
  }

  row::FactorRow<T> row_;
  std::int64_t rows_;
};

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
