#include "gaussian/kernels/grid_rows.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/grid_rows.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/grid_row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::planes::HWY_NAMESPACE {
namespace {

using supn::HWY_NAMESPACE::fused;
using supn::HWY_NAMESPACE::store_between;

// Samples that are taken together: each coefficient is loaded and parted once for all of them.
constexpr std::int64_t kTogether = 4;

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

// Tap k of the classes of a row.
template <std::int64_t kPhases, Evens kEvens, typename T>
struct TapRow {
  HWY_INLINE TapRow(const GridRow<T>& row, std::int64_t length, std::size_t k)
      : coefficients(row.coefficients[k]), inner(length / kPhases) {
    for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
      const ClassProducts<T>& products = row.classes[static_cast<std::size_t>(p)];
      taps[p] = products.taps[k];
      own[p] = products.fields + products.taps[0].field;
      to[p] = products.z + taps[p].field;
      inner.cut(taps[p].begin, taps[p].end);
    }
    if (kEvens == Evens::kCoarser) {
      coarser = row.coarser + static_cast<std::int64_t>(k) * row.coarser_apart;
    }
  }

  // Adds to pixels j … of all samples, and hands the even elements on. Two phases may add to one
  // place: in which order is said by the block of kWide pixels, on every instruction set.
  template <Block kPlace>
  HWY_INLINE void add(const RowShape& shape, std::int64_t j) const {
    const FullTag<T> d;
    V<T> parts[kPhases][kInWide<T>];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kInWide<T>; ++i) {
      const std::int64_t first = (j + i * kLanes<T>)*kPhases;
      const Parted<kPhases, kEvens, kPlace, T> parted(coefficients + first, shape.length - first);
      for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
        parts[p][i] = parted.phases[p];
      }
      if constexpr (kEvens == Evens::kCoarser) {
        for (std::int64_t e = 0; e < kPhases / 2; ++e) {
          hn::StoreU(parted.evens[e], d, coarser + first / 2 + e * kLanes<T>);
        }
      }
    }
    for (std::int64_t s = 0, at = j; s < shape.samples; ++s, at += shape.stride) {
#pragma GCC unroll 4
      for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < kInWide<T>; ++i) {
          add_vector<kPlace>(parts[p][i], p, at + i * kLanes<T>, j + i * kLanes<T>);
        }
      }
    }
  }

  // Adds to the pixels j … of phase p that have the tap, `at` being j in the sample.
  template <Block kPlace>
  HWY_INLINE void add_vector(V<T> part, std::int64_t p, std::int64_t at, std::int64_t j) const {
    const FullTag<T> d;
    T* const sum = to[p] + at;
    if constexpr (kPlace == Block::kInside) {
      hn::StoreU(fused(part, hn::LoadU(d, own[p] + at), hn::LoadU(d, sum)), d, sum);
    } else {
      const std::int64_t begin = taps[p].begin - j;
      const std::int64_t end = taps[p].end - j;
      const V<T> x = load_between(d, own[p] + at, begin, end);
      const V<T> before = load_between(d, sum, begin, end);
      store_between(d, fused(part, x, before), sum, begin, end);
    }
  }

  const T* coefficients;
  InnerColumns inner;
  Tap taps[kPhases];
  const T* own[kPhases];
  T* to[kPhases];
  T* coarser = nullptr;
};

template <typename T>
struct Multiply {
  const RowShape& shape;
  std::int64_t z_apart;

  template <std::int64_t kPhases, Evens kEvens>
  void run(const GridRow<T>& row) const {
    InnerColumns inner(shape.length / kPhases);
    for (std::int64_t p = kFirst<kEvens>; p < kPhases; p += kStep<kEvens>) {
      const ClassProducts<T>& products = row.classes[static_cast<std::size_t>(p)];
      inner.cut(products.begin, products.end);
    }
    for_each_block<kPhases, kLanes<T>>(
        inner, shape.length, [&](auto place, std::int64_t j) SUPN_LAMBDA {
          multiply_samples<kPhases, kEvens, place()>(row, shape, z_apart, j);
        });
  }
};

// One tap along the whole row, then the next: two taps of a class may lie beside each other, and
// what was stored is not at hand for a load that only overlaps it.
template <typename T>
struct Scatter {
  RowShape shape;

  template <std::int64_t kPhases, Evens kEvens>
  void run(const GridRow<T>& row) const {
    for (std::size_t k = 0; k < row.coefficients.size(); ++k) {
      const TapRow<kPhases, kEvens, T> tap(row, shape.length, k);
      for_each_block<kPhases, kWide<T>>(
          tap.inner, shape.length, [&](auto place, std::int64_t j) SUPN_LAMBDA {
            tap.template add<place()>(shape, j);
          });
    }
  }
};

template <class Work, typename T>
void run_as(const Work& work, const GridRow<T>& row) {
  const bool own = row.coarser == nullptr;
  if (row.classes.size() == 1) return work.template run<1, Evens::kOwn>(row);
  if (row.classes.size() == 2 && own) return work.template run<2, Evens::kOwn>(row);
  if (row.classes.size() == 2) return work.template run<2, Evens::kCoarser>(row);
  if (own) return work.template run<4, Evens::kOwn>(row);
  work.template run<4, Evens::kCoarser>(row);
}

void multiply_f32(const GridRow<float>& row, const RowShape& shape, std::int64_t z_apart) {
  run_as(Multiply<float>{shape, z_apart}, row);
}
void multiply_f64(const GridRow<double>& row, const RowShape& shape, std::int64_t z_apart) {
  run_as(Multiply<double>{shape, z_apart}, row);
}
void scatter_f32(const GridRow<float>& r, const RowShape& s) { run_as(Scatter<float>{s}, r); }
void scatter_f64(const GridRow<double>& r, const RowShape& s) { run_as(Scatter<double>{s}, r); }

}  // namespace
}  // namespace supn::planes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::planes {
namespace {

HWY_EXPORT(multiply_f32);
HWY_EXPORT(multiply_f64);
HWY_EXPORT(scatter_f32);
HWY_EXPORT(scatter_f64);

}  // namespace

void multiply(const GridRow<float>& row, const RowShape& shape, std::int64_t z_apart) {
  HWY_DYNAMIC_DISPATCH(multiply_f32)(row, shape, z_apart);
}
void multiply(const GridRow<double>& row, const RowShape& shape, std::int64_t z_apart) {
  HWY_DYNAMIC_DISPATCH(multiply_f64)(row, shape, z_apart);
}
void scatter(const GridRow<float>& row, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(scatter_f32)(row, shape);
}
void scatter(const GridRow<double>& row, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(scatter_f64)(row, shape);
}

}  // namespace supn::planes
#endif
