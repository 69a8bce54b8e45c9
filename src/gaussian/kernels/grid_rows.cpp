#include "gaussian/kernels/grid_rows.hpp"

#include <algorithm>

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/grid_rows.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::planes::HWY_NAMESPACE {
namespace {

using supn::HWY_NAMESPACE::FullTag;
using supn::HWY_NAMESPACE::fused;
using supn::HWY_NAMESPACE::load_between;
namespace hn = hwy::HWY_NAMESPACE;

// Samples that are taken together: each coefficient is loaded and parted once for all of them.
constexpr std::int64_t kTogether = 4;

template <typename T>
using V = hn::Vec<FullTag<T>>;
template <typename T>
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(FullTag<T>()));

// A block lies within the row and all its taps within the image, or not.
enum class Block { kInside, kEdge };
// The even elements of a row have classes, or go to the coarser level.
enum class Evens { kOwn, kCoarser };

// The phases that have classes are kFirst, kFirst + kStep, ….
template <Evens kEvens>
constexpr std::int64_t kFirst = kEvens == Evens::kOwn ? 0 : 1;
template <Evens kEvens>
constexpr std::int64_t kStep = kEvens == Evens::kOwn ? 1 : 2;

// Elements 0, 2, … or 1, 3, … of a, then of b.
template <typename T>
HWY_INLINE V<T> even_of(V<T> a, V<T> b) {
#if HWY_TARGET == HWY_SCALAR
  (void)b;
  return a;
#else
  return hn::ConcatEven(FullTag<T>(), b, a);
#endif
}
template <typename T>
HWY_INLINE V<T> odd_of(V<T> a, V<T> b) {
#if HWY_TARGET == HWY_SCALAR
  (void)a;
  return b;
#else
  return hn::ConcatOdd(FullTag<T>(), b, a);
#endif
}

// kPhases vectors of a row, `count` elements or more of it, parted by phase. The even phases are
// left out where the even elements, in the order of the row, are for the coarser level.
template <std::int64_t kPhases, Evens kEvens, Block kPlace, typename T>
struct Parted {
  HWY_INLINE Parted(const T* from, std::int64_t count) {
    const FullTag<T> d;
    V<T> row[kPhases];
    for (std::int64_t i = 0; i < kPhases; ++i) {
      const T* const vector = from + i * kLanes<T>;
      if (kPlace == Block::kInside || count >= kPhases * kLanes<T>) {
        row[i] = hn::LoadU(d, vector);
      } else {
        row[i] = load_between(d, vector, 0, count - i * kLanes<T>);
      }
    }
    if constexpr (kPhases == 1) {
      phases[0] = row[0];
    } else if constexpr (kPhases == 2) {
      evens[0] = phases[0] = even_of<T>(row[0], row[1]);
      phases[1] = odd_of<T>(row[0], row[1]);
    } else {
      for (std::int64_t i = 0; i < 2; ++i) evens[i] = even_of<T>(row[2 * i], row[2 * i + 1]);
      const V<T> first = odd_of<T>(row[0], row[1]);
      const V<T> second = odd_of<T>(row[2], row[3]);
      phases[1] = even_of<T>(first, second);
      phases[3] = odd_of<T>(first, second);
      if constexpr (kEvens == Evens::kOwn) {
        phases[0] = even_of<T>(evens[0], evens[1]);
        phases[2] = odd_of<T>(evens[0], evens[1]);
      }
    }
  }

  V<T> phases[kPhases];
  V<T> evens[(kPhases + 1) / 2];
};

// Tells which of the pixels j … have a tap.
template <typename T>
HWY_INLINE hn::Mask<FullTag<T>> has_tap(const Tap& tap, std::int64_t j) {
  const FullTag<T> d;
  const hn::RebindToSigned<FullTag<T>> di;
  using Index = hn::TFromD<hn::RebindToSigned<FullTag<T>>>;
  const auto lanes = hn::Iota(di, Index{0});
  const auto begin = hn::Set(di, static_cast<Index>(tap.begin - j));
  const auto end = hn::Set(di, static_cast<Index>(tap.end - j));
  return hn::RebindMask(d, hn::AndNot(hn::Lt(lanes, begin), hn::Lt(lanes, end)));
}

// The classes' pixels j … of kSamples samples from `first` on. The last samples hand the even
// elements on: what they are read from may be overwritten.
template <std::int64_t kPhases, Evens kEvens, Block kPlace, std::int64_t kSamples, typename T>
HWY_INLINE void multiply_block(const GridRow<T>& row,
                               const RowShape& shape,
                               std::int64_t z_apart,
                               std::int64_t first,
                               std::int64_t j) {
  const FullTag<T> d;
  V<T> sums[kPhases][kSamples];
  const T* fields[kPhases];
  for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
    for (auto& sum : sums[p]) sum = hn::Zero(d);
    fields[p] = row.classes[static_cast<std::size_t>(p)].fields + first * shape.stride + j;
  }
  T* coarser = kEvens == Evens::kCoarser && first + kSamples == shape.samples
                   ? row.coarser + j * kPhases / 2
                   : nullptr;
  for (std::size_t k = 0; k < row.coefficients.size(); ++k) {
    const Parted<kPhases, kEvens, kPlace, T> parted(row.coefficients[k] + j * kPhases,
                                                    shape.length - j * kPhases);
    for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
      const Tap& tap = row.classes[static_cast<std::size_t>(p)].taps[k];
      V<T> coefficient = parted.phases[p];
      if constexpr (kPlace == Block::kEdge) {
        coefficient = hn::IfThenElseZero(has_tap<T>(tap, j), coefficient);
      }
      for (std::int64_t s = 0; s < kSamples; ++s) {
        const V<T> field = hn::LoadU(d, fields[p] + tap.field + s * shape.stride);
        sums[p][s] = fused(coefficient, field, sums[p][s]);
      }
    }
    if (coarser != nullptr) {
      for (std::int64_t i = 0; i < kPhases / 2; ++i) {
        hn::StoreU(parted.evens[i], d, coarser + i * kLanes<T>);
      }
      coarser += row.coarser_apart;
    }
  }
  for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
    T* const z = row.classes[static_cast<std::size_t>(p)].z + first * z_apart + j;
    for (std::int64_t s = 0; s < kSamples; ++s) hn::StoreU(sums[p][s], d, z + s * z_apart);
  }
}

template <std::int64_t kPhases, Evens kEvens, Block kPlace, typename T>
HWY_INLINE void multiply_samples(const GridRow<T>& row,
                                 const RowShape& shape,
                                 std::int64_t z_apart,
                                 std::int64_t j) {
  std::int64_t s = 0;
  for (; s + kTogether <= shape.samples; s += kTogether) {
    multiply_block<kPhases, kEvens, kPlace, kTogether>(row, shape, z_apart, s, j);
  }
  for (; s < shape.samples; ++s) {
    multiply_block<kPhases, kEvens, kPlace, 1>(row, shape, z_apart, s, j);
  }
}

template <std::int64_t kPhases, Evens kEvens, typename T>
void multiply_row(const GridRow<T>& row, const RowShape& shape, std::int64_t z_apart) {
  // Columns [begin, end) have all taps of all classes.
  std::int64_t begin = 0;
  std::int64_t end = shape.length / kPhases;
  for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
    const ClassProducts<T>& products = row.classes[static_cast<std::size_t>(p)];
    begin = std::max(begin, products.begin);
    end = std::min(end, products.end);
  }
  for (std::int64_t j = 0; j * kPhases < shape.length; j += kLanes<T>) {
    if (j >= begin && end - j >= kLanes<T>) {
      multiply_samples<kPhases, kEvens, Block::kInside>(row, shape, z_apart, j);
    } else {
      multiply_samples<kPhases, kEvens, Block::kEdge>(row, shape, z_apart, j);
    }
  }
}

template <typename T>
void multiply_any(const GridRow<T>& row, const RowShape& shape, std::int64_t z_apart) {
  const auto run = [&](auto multiply_as) { multiply_as(row, shape, z_apart); };
  const bool own = row.coarser == nullptr;
  if (row.classes.size() == 1) return run(multiply_row<1, Evens::kOwn, T>);
  if (row.classes.size() == 2 && own) return run(multiply_row<2, Evens::kOwn, T>);
  if (row.classes.size() == 2) return run(multiply_row<2, Evens::kCoarser, T>);
  if (own) return run(multiply_row<4, Evens::kOwn, T>);
  run(multiply_row<4, Evens::kCoarser, T>);
}

void multiply_f32(const GridRow<float>& row, const RowShape& shape, std::int64_t z_apart) {
  multiply_any(row, shape, z_apart);
}
void multiply_f64(const GridRow<double>& row, const RowShape& shape, std::int64_t z_apart) {
  multiply_any(row, shape, z_apart);
}

}  // namespace
}  // namespace supn::planes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::planes {
namespace {

HWY_EXPORT(multiply_f32);
HWY_EXPORT(multiply_f64);

}  // namespace

void multiply(const GridRow<float>& row, const RowShape& shape, std::int64_t z_apart) {
  HWY_DYNAMIC_DISPATCH(multiply_f32)(row, shape, z_apart);
}
void multiply(const GridRow<double>& row, const RowShape& shape, std::int64_t z_apart) {
  HWY_DYNAMIC_DISPATCH(multiply_f64)(row, shape, z_apart);
}

}  // namespace supn::planes
#endif
