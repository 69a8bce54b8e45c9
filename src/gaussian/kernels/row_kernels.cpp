#include "gaussian/kernels/row_kernels.hpp"

#include <algorithm>

#include "gaussian/kernels/elementary.hpp"
#include "gaussian/kernels/instruction_sets.hpp"

namespace supn::row {
namespace {

// Fixed radius: the last solutions stay in registers, and the chain's latency is what remains.
template <std::int64_t kRadius, typename T>
SUPN_INLINE void substitute_from_right_fixed(T* __restrict acc, const OwnRow<T>& row) {
  T later[kRadius] = {};  // later[i] = solution at x + 1 + i
  for (std::int64_t x = row.width - 1; x >= 0; --x) {
    T value = acc[x];
    const std::int64_t reach = std::min(kRadius, row.width - 1 - x);
    for (std::int64_t dx = kRadius; dx >= 1; --dx) {
      if (dx <= reach) {
        value = fused_multiply_add(-row.own[(dx - 1) * row.stride + x], later[dx - 1], value);
      }
    }
    for (std::int64_t i = kRadius - 1; i > 0; --i) later[i] = later[i - 1];
    later[0] = value * row.inverse[x];
    acc[x] = later[0];
  }
}

template <std::int64_t kRadius, typename T>
SUPN_INLINE void substitute_from_left_fixed(T* __restrict acc, const OwnRow<T>& row) {
  T earlier[kRadius] = {};  // earlier[i] = solution at x − 1 − i
  for (std::int64_t x = 0; x < row.width; ++x) {
    T value = acc[x];
    const std::int64_t reach = std::min(kRadius, x);
    for (std::int64_t dx = kRadius; dx >= 1; --dx) {
      if (dx <= reach) {
        const T coefficient = row.own[(dx - 1) * row.stride + x - dx];
        value = fused_multiply_add(-coefficient, earlier[dx - 1], value);
      }
    }
    for (std::int64_t i = kRadius - 1; i > 0; --i) earlier[i] = earlier[i - 1];
    earlier[0] = value * row.inverse[x];
    acc[x] = earlier[0];
  }
}

// kTaps = 0: as many as the window says.
template <std::int64_t kTaps, typename T>
SUPN_INLINE void accumulate_window(T* __restrict acc,
                                   T sign,
                                   const Window<T>& window,
                                   std::int64_t count) {
  const std::int64_t taps = kTaps > 0 ? kTaps : window.taps;
  const std::int64_t coefficient_step = window.coefficient_step;
  const std::int64_t field_step = window.field_step;
  const T* __restrict coefficients = window.coefficients;
  const T* __restrict field = window.field;
  for (std::int64_t i = 0; i < count; ++i) {
    T value = acc[i];
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < taps; ++j) {
      const T coefficient = sign * coefficients[j * coefficient_step + i];
      value = fused_multiply_add(coefficient, field[j * field_step + i], value);
    }
    acc[i] = value;
  }
}

// Columns whose neighbours are all taken at once, and how many elements ahead the maps are asked
// for: they are more streams than a processor follows by itself.
constexpr std::int64_t kBlock = 64;
template <typename T>
constexpr std::int64_t kAhead = 4096 / static_cast<std::int64_t>(sizeof(T));

template <typename T>
SUPN_INLINE void prefetch_maps(const ProductRow<T>& row, std::int64_t x) {
  constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t maps = 2 * row.radius * (row.radius + 1);
  for (std::int64_t k = 0; k < maps; ++k) {
    const T* map = row.off_diagonal + k * row.map_step + x + kAhead<T>;
    for (std::int64_t i = 0; i < kBlock; i += kLine) __builtin_prefetch(map + i, 0, 2);
  }
}

// kRadius = 0: as large as the row says. Columns [x, x + count) with their whole window inside.
template <std::int64_t kRadius, typename T>
SUPN_INLINE void product_block(T* __restrict z,
                               const ProductRow<T>& row,
                               std::int64_t x,
                               std::int64_t count) {
  const std::int64_t radius = kRadius > 0 ? kRadius : row.radius;
  constexpr std::int64_t kSpan = kRadius > 0 ? 2 * kRadius + 1 : 0;
  const std::int64_t span = 2 * radius + 1;
  for (std::int64_t i = 0; i < count; ++i) z[i] = T{0};
  for (std::int64_t dy = row.rows_below; dy >= 1; --dy) {
    const Window<T> window{row.off_diagonal + (radius + (dy - 1) * span) * row.map_step + x,
                           row.map_step,
                           row.field + dy * row.field_step + x - radius,
                           1,
                           span};
    accumulate_window<kSpan>(z, T{1}, window, count);
  }
  if (radius > 0) {  // else there are no maps to point into
    const Window<T> own{row.off_diagonal + (radius - 1) * row.map_step + x,
                        -row.map_step,
                        row.field + x + radius,
                        -1,
                        radius};
    accumulate_window<kRadius>(z, T{1}, own, count);
  }
  const T* __restrict diagonal = row.diagonal + x;
  const T* __restrict field = row.field + x;
  for (std::int64_t i = 0; i < count; ++i) {
    z[i] = fused_multiply_add(diagonal[i], field[i], z[i]);
  }
}

template <typename T>
SUPN_INLINE T product_at_edge(const ProductRow<T>& row, std::int64_t x) {
  const auto inside = [&](std::int64_t column) { return column >= 0 && column < row.width; };
  const std::int64_t span = 2 * row.radius + 1;
  T value{0};
  for (std::int64_t dy = row.rows_below; dy >= 1; --dy) {
    const T* map = row.off_diagonal + (row.radius + (dy - 1) * span) * row.map_step + x;
    for (std::int64_t dx = -row.radius; dx <= row.radius; ++dx, map += row.map_step) {
      if (!inside(x + dx)) continue;
      value = fused_multiply_add(*map, row.field[dy * row.field_step + x + dx], value);
    }
  }
  for (std::int64_t dx = row.radius; dx >= 1; --dx) {
    if (!inside(x + dx)) continue;
    const T coefficient = row.off_diagonal[(dx - 1) * row.map_step + x];
    value = fused_multiply_add(coefficient, row.field[x + dx], value);
  }
  return fused_multiply_add(row.diagonal[x], row.field[x], value);
}

SUPN_INLINE double combined(const double (&lanes)[8]) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace

template <typename T>
SUPN_KERNEL void add_products(T* __restrict acc,
                              const T* __restrict a,
                              const T* __restrict b,
                              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) acc[i] = fused_multiply_add(a[i], b[i], acc[i]);
}

template <typename T>
SUPN_KERNEL void subtract_products(T* __restrict acc,
                                   const T* __restrict a,
                                   const T* __restrict b,
                                   std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) acc[i] = fused_multiply_add(-a[i], b[i], acc[i]);
}

template <typename T>
SUPN_KERNEL void add_window(T* __restrict acc, const Window<T>& window, std::int64_t count) {
  if (window.taps == 3) return accumulate_window<3>(acc, T{1}, window, count);
  if (window.taps == 5) return accumulate_window<5>(acc, T{1}, window, count);
  accumulate_window<0>(acc, T{1}, window, count);
}

template <typename T>
SUPN_KERNEL void subtract_window(T* __restrict acc, const Window<T>& window, std::int64_t count) {
  if (window.taps == 3) return accumulate_window<3>(acc, T{-1}, window, count);
  if (window.taps == 5) return accumulate_window<5>(acc, T{-1}, window, count);
  accumulate_window<0>(acc, T{-1}, window, count);
}

template <typename T>
SUPN_KERNEL void transpose_product(T* __restrict z, const ProductRow<T>& row) {
  const std::int64_t begin = std::min(row.radius, row.width);
  const std::int64_t end = std::max(begin, row.width - row.radius);
  for (std::int64_t x = 0; x < begin; ++x) z[x] = product_at_edge(row, x);
  for (std::int64_t x = begin; x < end; x += kBlock) {
    const std::int64_t count = std::min(kBlock, end - x);
    prefetch_maps(row, x);
    if (row.radius == 1) {
      product_block<1>(z + x, row, x, count);
    } else if (row.radius == 2) {
      product_block<2>(z + x, row, x, count);
    } else {
      product_block<0>(z + x, row, x, count);
    }
  }
  for (std::int64_t x = end; x < row.width; ++x) z[x] = product_at_edge(row, x);
}

template <typename T>
SUPN_KERNEL void multiply(T* __restrict acc, const T* __restrict a, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) acc[i] *= a[i];
}

template <typename T>
SUPN_KERNEL void exponential(T* __restrict out, const T* __restrict x, T sign, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = elementary::exponential(sign * x[i]);
}

template <typename T>
SUPN_KERNEL double sum_of_squares(const T* __restrict x, std::int64_t count) {
  double lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int lane = 0; lane < 8; ++lane) {
      const double value = static_cast<double>(x[i + lane]);
      lanes[lane] = fused_multiply_add(value, value, lanes[lane]);
    }
  }
  for (int lane = 0; i < count; ++i, ++lane) {
    const double value = static_cast<double>(x[i]);
    lanes[lane] = fused_multiply_add(value, value, lanes[lane]);
  }
  return combined(lanes);
}

template <typename T>
SUPN_KERNEL double sum(const T* __restrict x, std::int64_t count) {
  double lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int lane = 0; lane < 8; ++lane) lanes[lane] += static_cast<double>(x[i + lane]);
  }
  for (int lane = 0; i < count; ++i, ++lane) lanes[lane] += static_cast<double>(x[i]);
  return combined(lanes);
}

template <typename T>
SUPN_KERNEL void substitute_from_right(T* __restrict acc, const OwnRow<T>& row) {
  if (row.radius == 1) return substitute_from_right_fixed<1>(acc, row);
  if (row.radius == 2) return substitute_from_right_fixed<2>(acc, row);
  for (std::int64_t x = row.width - 1; x >= 0; --x) {
    T value = acc[x];
    for (std::int64_t dx = std::min(row.radius, row.width - 1 - x); dx >= 1; --dx) {
      value = fused_multiply_add(-row.own[(dx - 1) * row.stride + x], acc[x + dx], value);
    }
    acc[x] = value * row.inverse[x];
  }
}

template <typename T>
SUPN_KERNEL void substitute_from_left(T* __restrict acc, const OwnRow<T>& row) {
  if (row.radius == 1) return substitute_from_left_fixed<1>(acc, row);
  if (row.radius == 2) return substitute_from_left_fixed<2>(acc, row);
  for (std::int64_t x = 0; x < row.width; ++x) {
    T value = acc[x];
    for (std::int64_t dx = std::min(row.radius, x); dx >= 1; --dx) {
      value = fused_multiply_add(-row.own[(dx - 1) * row.stride + x - dx], acc[x - dx], value);
    }
    acc[x] = value * row.inverse[x];
  }
}

#define SUPN_INSTANTIATE(T)                                                 \
  template void add_products<T>(T*, const T*, const T*, std::int64_t);      \
  template void subtract_products<T>(T*, const T*, const T*, std::int64_t); \
  template void add_window<T>(T*, const Window<T>&, std::int64_t);          \
  template void subtract_window<T>(T*, const Window<T>&, std::int64_t);     \
  template void transpose_product<T>(T*, const ProductRow<T>&);             \
  template void multiply<T>(T*, const T*, std::int64_t);                    \
  template void exponential<T>(T*, const T*, T, std::int64_t);              \
  template double sum_of_squares<T>(const T*, std::int64_t);                \
  template double sum<T>(const T*, std::int64_t);                           \
  template void substitute_from_right<T>(T*, const OwnRow<T>&);             \
  template void substitute_from_left<T>(T*, const OwnRow<T>&);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::row
