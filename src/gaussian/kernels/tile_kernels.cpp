#include "gaussian/kernels/tile_kernels.hpp"

#include <algorithm>

#include "gaussian/kernels/instruction_sets.hpp"

namespace supn::tile {
namespace {

// The loops over lanes have a fixed length and no dependence between lanes: the compiler makes full
// vectors of them for every instruction set, which was as fast as vectors written by hand and needs
// no second source. Only transpositions are beyond it.
template <typename T>
SUPN_INLINE void subtract(T* __restrict acc, T weight, const T* field, std::int64_t lanes) {
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    acc[lane] = fused_multiply_add(-weight, field[lane], acc[lane]);
  }
}

template <Side kSide>
inline constexpr std::int64_t kStep = kSide == Side::kLater ? 1 : -1;

template <Side kSide, typename T>
SUPN_INLINE void subtract_neighbours(
    T* acc, const FactorImage<T>& image, std::int64_t y, const Row<T>& row, std::int64_t x) {
  const std::int64_t lanes = row.lanes;
  const auto inside = [&](std::int64_t column) { return column >= 0 && column < image.width; };
  for (std::int64_t dy = row.reach; dy >= 1; --dy) {
    for (std::int64_t dx = -image.radius; dx <= image.radius; ++dx) {
      const std::int64_t column = x + kStep<kSide> * dx;
      if (!inside(column)) continue;
      subtract(acc,
               *coefficient_at<kSide>(image, {dy, dx}, y, x),
               row.finished[dy - 1] + column * lanes,
               lanes);
    }
  }
  for (std::int64_t dx = image.radius; dx >= 1; --dx) {
    const std::int64_t column = x + kStep<kSide> * dx;
    if (!inside(column)) continue;
    subtract(
        acc, *coefficient_at<kSide>(image, {0, dx}, y, x), row.solution + column * lanes, lanes);
  }
}

template <Side kSide, typename T>
SUPN_INLINE void substitute_pixel(const FactorImage<T>& image,
                                  std::int64_t y,
                                  const Row<T>& row,
                                  std::int64_t x) {
  T* acc = row.solution + x * row.lanes;
  std::copy_n(row.rhs + x * row.lanes, row.lanes, acc);
  subtract_neighbours<kSide>(acc, image, y, row, x);
  const T inverse = image.diagonal_row(y)[x];
  for (std::int64_t lane = 0; lane < row.lanes; ++lane) acc[lane] *= inverse;
}

// f(x) for the columns in the order of the substitution.
template <Side kSide, typename Function>
SUPN_INLINE void for_each_column(const Columns& columns, const Function& f) {
  if constexpr (kSide == Side::kLater) {
    for (std::int64_t x = columns.end - 1; x >= columns.begin; --x) f(x);
  } else {
    for (std::int64_t x = columns.begin; x < columns.end; ++x) f(x);
  }
}

// A row with everything fixed, for straight code with the coefficients in registers.
template <Side kSide, std::int64_t kRadius, std::int64_t kLanes, typename T>
struct FixedRow {
  static constexpr std::int64_t kTaps = 2 * kRadius * (kRadius + 1);
  static constexpr std::int64_t kStride = kStep<kSide> * kLanes;

  SUPN_INLINE explicit FixedRow(const Row<T>& row) : rhs(row.rhs), solution(row.solution) {
    for (std::int64_t dy = 0; dy < kRadius; ++dy) finished[dy] = row.finished[dy];
  }

  // value minus the neighbours' products; at = x·kLanes + lane.
  SUPN_INLINE T minus_neighbours(T value, const T* w, std::int64_t at) const {
    std::int64_t j = 0;
#pragma GCC unroll 4
    for (std::int64_t dy = kRadius; dy >= 1; --dy) {
#pragma GCC unroll 8
      for (std::int64_t dx = -kRadius; dx <= kRadius; ++dx, ++j) {
        value = fused_multiply_add(w[j], finished[dy - 1][at + dx * kStride], value);
      }
    }
#pragma GCC unroll 4
    for (std::int64_t dx = kRadius; dx >= 1; --dx, ++j) {
      value = fused_multiply_add(w[j], solution[at + dx * kStride], value);
    }
    return value;
  }

  const T* finished[kRadius];
  const T* rhs;
  T* solution;
};

template <Side kSide, std::int64_t kRadius, std::int64_t kLanes, typename T>
SUPN_INLINE void substitute_fixed(const T* weights, const Row<T>& row, const Columns& columns) {
  using Fixed = FixedRow<kSide, kRadius, kLanes, T>;
  const Fixed fixed(row);
  for_each_column<kSide>(
      columns, [&](std::int64_t x) __attribute__((always_inline)) {
        T w[Fixed::kTaps + 1];
        std::copy_n(weights + x * weight_lanes(kRadius), Fixed::kTaps + 1, w);
        const std::int64_t end = (x + 1) * kLanes;
#pragma GCC ivdep
        for (std::int64_t at = x * kLanes; at < end; ++at) {
          fixed.solution[at] = fixed.minus_neighbours(fixed.rhs[at], w, at) * w[Fixed::kTaps];
        }
      });
}

template <std::int64_t kRadius, std::int64_t kLanes, typename T>
SUPN_INLINE void residual_fixed(const T* weights,
                                const Row<T>& row,
                                const Columns& columns,
                                T* out) {
  using Fixed = FixedRow<Side::kLater, kRadius, kLanes, T>;
  const Fixed fixed(row);
  for_each_column<Side::kLater>(
      columns, [&](std::int64_t x) __attribute__((always_inline)) {
        T w[Fixed::kTaps + 2];
        std::copy_n(weights + x * weight_lanes(kRadius), Fixed::kTaps + 2, w);
        const std::int64_t end = (x + 1) * kLanes;
#pragma GCC ivdep
        for (std::int64_t at = x * kLanes; at < end; ++at) {
          const T others = fixed.minus_neighbours(T{0}, w, at);
          out[at] =
              fused_multiply_add(w[Fixed::kTaps + 1], fixed.solution[at], -others) - fixed.rhs[at];
        }
      });
}

// f<lanes>() with the number of lanes fixed.
template <typename T, typename Function>
SUPN_INLINE void with_fixed_lanes(std::int64_t lanes, const Function& f) {
  if (lanes == 8) return f.template operator()<8>();
  if (lanes == 16) return f.template operator()<16>();
  if constexpr (kMostLanes<T> == 32) f.template operator()<32>();
}

}  // namespace

template <Side kSide, typename T>
SUPN_KERNEL void substitute(const FactorImage<T>& image,
                            std::int64_t y,
                            const Row<T>& row,
                            const Columns& columns) {
  for_each_column<kSide>(
      columns, [&](std::int64_t x) __attribute__((always_inline)) {
        substitute_pixel<kSide>(image, y, row, x);
      });
}

template <Side kSide, typename T>
SUPN_KERNEL void substitute_inside(const T* weights,
                                   std::int64_t radius,
                                   const Row<T>& row,
                                   const Columns& columns) {
  with_fixed_lanes<T>(
      row.lanes, [&]<std::int64_t kLanes>() __attribute__((always_inline)) {
        if (radius == 1) return substitute_fixed<kSide, 1, kLanes>(weights, row, columns);
        substitute_fixed<kSide, 2, kLanes>(weights, row, columns);
      });
}

template <typename T>
SUPN_KERNEL void residual(const FactorImage<T>& image,
                          std::int64_t y,
                          const Row<T>& row,
                          const Columns& columns,
                          T* out) {
  const std::int64_t lanes = row.lanes;
  for (std::int64_t x = columns.begin; x < columns.end; ++x) {
    T* acc = out + x * lanes;
    std::fill_n(acc, lanes, T{0});
    subtract_neighbours<Side::kLater>(acc, image, y, row, x);
    const T diagonal = image.diagonal_row(y)[x];
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const std::int64_t at = x * lanes + lane;
      acc[lane] = fused_multiply_add(diagonal, row.solution[at], -acc[lane]) - row.rhs[at];
    }
  }
}

template <typename T>
SUPN_KERNEL void residual_inside(
    const T* weights, std::int64_t radius, const Row<T>& row, const Columns& columns, T* out) {
  with_fixed_lanes<T>(
      row.lanes, [&]<std::int64_t kLanes>() __attribute__((always_inline)) {
        if (radius == 1) return residual_fixed<1, kLanes>(weights, row, columns, out);
        residual_fixed<2, kLanes>(weights, row, columns, out);
      });
}

template <typename T>
SUPN_KERNEL void add_squares(double* __restrict sums, const T* field, const Extent& extent) {
  for (std::int64_t x = 0; x < extent.count; ++x) {
    for (std::int64_t lane = 0; lane < extent.lanes; ++lane) {
      const double value = static_cast<double>(field[x * extent.lanes + lane]);
      sums[lane] = fused_multiply_add(value, value, sums[lane]);
    }
  }
}

template <typename T>
SUPN_KERNEL void negate_products(T* weights, std::int64_t radius, std::int64_t count) {
  const std::int64_t lanes = weight_lanes(radius);
  const std::int64_t products = 2 * radius * (radius + 1);
  for (std::int64_t x = 0; x < count; ++x) {
    for (std::int64_t j = 0; j < products; ++j) weights[x * lanes + j] = -weights[x * lanes + j];
  }
}

#define SUPN_INSTANTIATE_SIDE(SIDE, T)                                     \
  template void substitute<SIDE, T>(                                       \
      const FactorImage<T>&, std::int64_t, const Row<T>&, const Columns&); \
  template void substitute_inside<SIDE, T>(const T*, std::int64_t, const Row<T>&, const Columns&);
#define SUPN_INSTANTIATE(T)                                                                    \
  template void residual<T>(                                                                   \
      const FactorImage<T>&, std::int64_t, const Row<T>&, const Columns&, T*);                 \
  template void residual_inside<T>(const T*, std::int64_t, const Row<T>&, const Columns&, T*); \
  template void add_squares<T>(double*, const T*, const Extent&);                              \
  template void negate_products<T>(T*, std::int64_t, std::int64_t);                            \
  SUPN_INSTANTIATE_SIDE(Side::kLater, T)                                                       \
  SUPN_INSTANTIATE_SIDE(Side::kEarlier, T)
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE
#undef SUPN_INSTANTIATE_SIDE

}  // namespace supn::tile
