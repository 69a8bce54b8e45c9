// A row of a level's grid in blocks, parted by the phase of the columns in registers. Included once
// per instruction set.
#include <algorithm>
#include <type_traits>

#include "gaussian/kernels/grid_rows.hpp"
#include "gaussian/kernels/simd-inl.hpp"

#if defined(SUPN_GRID_ROW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_GRID_ROW_INL
#undef SUPN_GRID_ROW_INL
#else
#define SUPN_GRID_ROW_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::planes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using supn::HWY_NAMESPACE::FullTag;
using supn::HWY_NAMESPACE::load_between;

template <typename T>
using V = hn::Vec<FullTag<T>>;
template <typename T>
inline constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(FullTag<T>()));
// The widest vector that there is, in elements and in vectors of this set.
template <typename T>
inline constexpr std::int64_t kWide = 64 / static_cast<std::int64_t>(sizeof(T));
template <typename T>
inline constexpr std::int64_t kInWide = kWide<T> / kLanes<T>;

// A block lies within the row and all its taps within the image, or not.
enum class Block { kInside, kEdge };
// The even elements of a row have classes, or go to the coarser level.
enum class Evens { kOwn, kCoarser };

// The phases that have classes are kFirst, kFirst + kStep, ….
template <Evens kEvens>
inline constexpr std::int64_t kFirst = kEvens == Evens::kOwn ? 0 : 1;
template <Evens kEvens>
inline constexpr std::int64_t kStep = kEvens == Evens::kOwn ? 1 : 2;

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

// Columns that have all taps.
struct InnerColumns {
  explicit InnerColumns(std::int64_t columns) : end(columns) {}
  void cut(std::int64_t first, std::int64_t last) {
    begin = std::max(begin, first);
    end = std::min(end, last);
  }
  std::int64_t begin = 0;
  std::int64_t end;
};

// run(place, j) for a row's blocks of kColumns pixels.
template <std::int64_t kPhases, std::int64_t kColumns, class Run>
HWY_INLINE void for_each_block(const InnerColumns& inner, std::int64_t length, const Run& run) {
  for (std::int64_t j = 0; j * kPhases < length; j += kColumns) {
    if (j >= inner.begin && inner.end - j >= kColumns) {
      run(std::integral_constant<Block, Block::kInside>(), j);
    } else {
      run(std::integral_constant<Block, Block::kEdge>(), j);
    }
  }
}

}  // namespace supn::planes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
