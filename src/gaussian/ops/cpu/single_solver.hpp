// A substitution for one sample of one image.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/factor_rows.hpp"
#include "gaussian/kernels/row_kernels.hpp"
#include "gaussian/kernels/row_wavefront.hpp"
#include "gaussian/ops/cpu/staircase_solver.hpp"

namespace supn {

// The wavefront of rows walks more maps at once than a processor prefetches: with the twelve maps
// of radius 2 it is ahead only where they stay in the cache.
template <typename T>
bool wavefront_pays(const FactorImage<T>& image) {
  constexpr std::int64_t kCachedBytes = 2 << 20;
  const std::int64_t maps = 2 * image.radius * (image.radius + 1) + 2;
  const std::int64_t bytes = maps * image.pixels() * static_cast<std::int64_t>(sizeof(T));
  return image.radius == 1 || (image.radius == 2 && bytes <= kCachedBytes);
}

// Whether solve_one shares an image out to threads. One thread alone is quicker row by row: it would
// wait for the strips' transposition.
template <typename T>
bool solves_one_by_threads(const FactorImage<T>& image) {
  return std::is_same_v<T, float> && at::get_num_threads() > 1 && !at::in_parallel_region() &&
         cpu::staircase_fits(image.radius, image.height, image.width);
}

// image.diagonal is φ. For several threads strips of eight rows; for one a wavefront of rows, or
// where that does not pay, row by row from the far end: the finished rows are subtracted as whole
// rows, then the row's own chain runs.
template <Side kSide, typename T>
void solve_one(const FactorImage<T>& image, const T* b, T* solution) {
  if constexpr (std::is_same_v<T, float>) {
    if (solves_one_by_threads(image)) {
      return cpu::solve_staircase<kSide>(image, b, solution);
    }
  }
  if (wavefront_pays(image)) {
    return row::substitute_wavefront<kSide>(image, b, solution);
  }
  const AlignedBuffer<T> inverse(image.width);
  for (std::int64_t i = 0; i < image.height; ++i) {
    const std::int64_t y = kSide == Side::kLater ? image.height - 1 - i : i;
    T* acc = solution + y * image.width;
    std::copy_n(b + y * image.width, image.width, acc);
    accumulate_other_rows<kSide>(image, y, {kSubtract<T>, solution, acc});
    row::exponential<T>(inverse.data(), image.diagonal_row(y), T{-1}, image.width);
    const row::OwnRow<T> own{image.off_diagonal + y * image.width,
                             image.pixels(),
                             inverse.data(),
                             image.width,
                             image.radius};
    if constexpr (kSide == Side::kLater) {
      row::substitute_from_right<T>(acc, own);
    } else {
      row::substitute_from_left<T>(acc, own);
    }
  }
}

}  // namespace supn
