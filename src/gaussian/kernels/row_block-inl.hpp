// Blocks of columns of neighbouring image rows, along the rows and turned with a row in each lane.
// Included once per instruction set.
#include "gaussian/kernels/simd-inl.hpp"

#if defined(SUPN_ROW_BLOCK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUPN_ROW_BLOCK_INL
#undef SUPN_ROW_BLOCK_INL
#else
#define SUPN_ROW_BLOCK_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace supn::HWY_NAMESPACE {

// Along a row whole vectors are used; across rows at most 8 lanes, since each more starts later.
template <typename T>
inline constexpr auto kColumns = static_cast<std::int64_t>(hn::MaxLanes(FullTag<T>()));
template <typename T>
inline constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag<T, 8>()));
// Groups of rows whose chains run side by side where a block is short: one alone waits for itself.
template <typename T>
inline constexpr std::int64_t kGroups = kColumns<T> > 8 ? 1 : 2;
template <typename T>
inline constexpr std::int64_t kRows = kGroups<T>* kLanes<T>;

// A block of columns of as many rows as there are lanes.
template <typename T>
struct Square {
  HWY_INLINE void set(std::int64_t row, hn::VFromD<FullTag<T>> value) {
    hn::Store(value, FullTag<T>(), rows[row]);
  }
  HWY_INLINE void to_columns() {
    for (std::int64_t c = 0; c < kColumns<T>; c += kLanes<T>)
      turn<kColumns<T>, kLanes<T>>(rows[0] + c, columns[c]);
  }
  HWY_INLINE void to_rows() {
    for (std::int64_t c = 0; c < kColumns<T>; c += kLanes<T>)
      turn<kLanes<T>, kColumns<T>>(columns[c], rows[0] + c);
  }
  template <std::int64_t kFromStep, std::int64_t kToStep>
  static HWY_INLINE void turn(const T* from, T* to) {
    const Tag<T, 8> d;
    hn::VFromD<Tag<T, 8>> square[kLanes<T>];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kLanes<T>; ++i) square[i] = hn::Load(d, from + i * kFromStep);
    transpose(d, square);
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kLanes<T>; ++i) hn::Store(square[i], d, to + i * kToStep);
  }

  HWY_ALIGN T rows[kLanes<T>][kColumns<T>];
  HWY_ALIGN T columns[kColumns<T>][kLanes<T>];
};

// The chains need these squares of a block.
template <std::int64_t kRadius, typename T>
struct Block {
  Square<T> values;        // b without what finished rows contribute; then the solution
  Square<T> own[kRadius];  // ψ of the neighbours in the own row, nearest first
  Square<T> inverse;       // e^−φ
};

}  // namespace supn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
