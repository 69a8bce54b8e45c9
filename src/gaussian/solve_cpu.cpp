#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <vector>

#include "contiguous_factor.hpp"
#include "factor_maps.hpp"
#include "factor_rows.hpp"
#include "row_kernels.hpp"
#include "row_wavefront.hpp"
#include "sample_groups.hpp"
#include "tile_solver.hpp"

namespace supn::cpu {
namespace {

// A tile of 8 lanes takes as long as this many samples one by one.
constexpr std::int64_t kFewestInTile = 5;

// One sample. Radius 1 and 2 go through the wavefront; others row by row from the far end: the
// finished rows are subtracted as whole rows, then the row's own chain runs.
template <Side kSide, typename T>
void solve_one(const FactorImage<T>& image, const T* b, T* solution) {
  if (image.radius == 1 || image.radius == 2) {
    return row::substitute_wavefront<kSide>(image, b, solution);
  }
  for (std::int64_t i = 0; i < image.height; ++i) {
    const std::int64_t y = kSide == Side::kLater ? image.height - 1 - i : i;
    T* acc = solution + y * image.width;
    std::copy_n(b + y * image.width, image.width, acc);
    accumulate_other_rows<kSide>(image, y, {kSubtract<T>, solution, acc});
    const row::OwnRow<T> own{image.off_diagonal + y * image.width,
                             image.pixels(),
                             image.diagonal_row(y),
                             image.width,
                             image.radius};
    if constexpr (kSide == Side::kLater) {
      row::substitute_from_right<T>(acc, own);
    } else {
      row::substitute_from_left<T>(acc, own);
    }
  }
}

// A group of samples as lanes; b and solution point at its first sample.
template <Side kSide, typename T>
void solve_tile(const FactorImage<T>& image, const SampleGroup& group, const T* b, T* solution) {
  TileSolver<kSide, T> solver(image, group.lanes);
  std::array<const T*, tile::kMostLanes<T>> from;
  std::array<T*, tile::kMostLanes<T>> to;
  const tile::Extent extent{image.width, group.lanes};
  const auto offset = [&](std::int64_t lane, std::int64_t y) {
    return group.sample_of(lane) * image.pixels() + y * image.width;
  };
  solver.solve(
      [&](std::int64_t y, T* rhs) {
        for (std::int64_t i = 0; i < group.lanes; ++i) from[i] = b + offset(i, y);
        tile::interleave<T>(rhs, from.data(), extent);
      },
      [&](std::int64_t y, const T* row, const T*) {
        for (std::int64_t i = 0; i < group.lanes; ++i) to[i] = solution + offset(i, y);
        tile::deinterleave<T>(to.data(), row, extent);
      });
}

template <Side kSide, typename T>
at::Tensor solved(const FactorMaps& maps, const at::Tensor& rhs) {
  const ContiguousFactor<T> factor(maps, T{-1});
  const at::Tensor b = rhs.contiguous();
  at::Tensor result = at::empty(b.sizes(), b.options());
  const T* in = b.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  const std::vector<SampleGroup> groups =
      sample_groups<T>({b.size(0), b.size(1), at::get_num_threads(), kFewestInTile});
  const auto count = static_cast<std::int64_t>(groups.size());
  const std::int64_t pixels = b.size(2) * b.size(3);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (pixels * groups[0].lanes));
  at::parallel_for(0, b.size(0) * count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const SampleGroup& group = groups[static_cast<std::size_t>(i % count)];
      const FactorImage<T> image = factor.image(i / count);
      const std::int64_t start = (i / count * b.size(1) + group.first) * pixels;
      if (group.lanes == 1) {
        solve_one<kSide>(image, in + start, out + start);
      } else {
        solve_tile<kSide>(image, group, in + start, out + start);
      }
    }
  });
  return result;
}

}  // namespace

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(
      b.scalar_type(), "solve_factor", [&] { return solved<Side::kEarlier, scalar_t>(factor, b); });
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solve_factor_transpose", [&] {
    return solved<Side::kLater, scalar_t>(factor, b);
  });
}

}  // namespace supn::cpu
