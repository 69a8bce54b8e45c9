#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "gaussian/huge_pages.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/cpu/sample_groups.hpp"
#include "gaussian/ops/cpu/single_solver.hpp"
#include "gaussian/ops/cpu/strip_tile.hpp"
#include "gaussian/ops/cpu/tile_solver.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {
namespace {

// A group of samples as lanes; b and solution point at its first sample.
template <Side kSide, typename T>
void solve_tile(const FactorImage<T>& image, const SampleGroup& group, const T* b, T* solution) {
  TileSolver<kSide, T> solver(image, nullptr, group.lanes);
  const AlignedBuffer<T> rhs(image.width * group.lanes);
  std::array<const T*, tile::kMostLanes<T>> from;
  std::array<T*, tile::kMostLanes<T>> to;
  const tile::Extent extent{image.width, group.lanes};
  const auto offset = [&](std::size_t lane, std::int64_t y) {
    return group.sample_of(static_cast<std::int64_t>(lane)) * image.pixels() + y * image.width;
  };
  solver.solve(
      [&](std::int64_t y) {
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = b + offset(i, y);
        tile::interleave<T>(rhs.data(), from.data(), extent);
        return rhs.data();
      },
      [&](const TileRow<T>& row) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = solution + offset(i, row.y);
        tile::deinterleave<T>(to.data(), row.tile.solution, extent);
      });
}

// The same by strips of eight samples; the right-hand sides of the next piece are asked for before
// their turn.
template <Side kSide>
void solve_strips(const FactorImage<float>& image,
                  const SampleGroup& group,
                  const float* b,
                  float* solution,
                  strip::Store store) {
  const std::int64_t strips = group.lanes / strip::kLanes;
  StripTile<kSide> tile(image, image.diagonal, strips);
  const AlignedBuffer<float> rhs(strip::kColumns * strip::kLanes);
  std::array<const float*, strip::kLanes> from;
  std::array<float*, strip::kLanes> to;
  const auto sample_start = [&](std::int64_t strip_index, std::size_t lane) {
    const auto in_strip = static_cast<std::int64_t>(lane);
    return group.sample_of(strip_index * strip::kLanes + in_strip) * image.pixels();
  };
  const auto prefetch_next = [&](const StripPart& part) {
    const bool last = part.strip + 1 == strips;
    const std::int64_t forward = kSide == Side::kLater ? -strip::kColumns : strip::kColumns;
    const std::int64_t at =
        part.y * image.width + part.columns.begin + (last ? forward : std::int64_t{0});
    if (at < 0 || at >= image.pixels()) return;
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = b + sample_start(last ? 0 : part.strip + 1, i) + at;
    }
    prefetch_rows(from.data(), strip::kColumns);
  };
  tile.solve([&](const StripPart& part, strip::Piece piece) {
    prefetch_next(part);
    const std::int64_t at = part.y * image.width + part.columns.begin;
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = b + sample_start(part.strip, i) + at;
      to[i] = solution + sample_start(part.strip, i) + at;
    }
    strip::interleave(rhs.data(), from.data(), piece.columns);
    piece.rhs = rhs.data();
    strip::substitute<kSide>(piece);
    strip::deinterleave(to.data(), piece.solution, nullptr, piece.columns, store);
  });
  strip::finish_stores();
}

// image.diagonal is φ for a sample alone, e^−φ for several.
template <Side kSide, typename T>
void solve_group(const FactorImage<T>& image,
                 const SampleGroup& group,
                 const T* b,
                 T* solution,
                 strip::Store store) {
  if (group.lanes == 1) return solve_one<kSide>(image, b, solution);
  if constexpr (std::is_same_v<T, float>) {
    if (strips_fit(image.radius)) return solve_strips<kSide>(image, group, b, solution, store);
  }
  solve_tile<kSide>(image, group, b, solution);
}

template <Side kSide, typename T>
at::Tensor solved(const FactorMaps& factor, const at::Tensor& rhs) {
  const FactorMaps maps{
      factor.log_diagonal, factor.off_diagonal.contiguous(), factor.neighbourhood};
  const ContiguousFactor<T> logarithmic(maps);
  const at::Tensor b = rhs.contiguous();
  at::Tensor result = empty_on_huge_pages(b.sizes(), b.options());
  const T* in = b.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  const std::vector<SampleGroup> groups =
      sample_groups<T>({b.size(0), b.size(1), at::get_num_threads()});
  const auto count = static_cast<std::int64_t>(groups.size());
  const std::int64_t pixels = b.size(2) * b.size(3);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (pixels * groups[0].lanes));
  const strip::Store store = store_of(out, result.numel(), b.size(3));
  const bool tiles = groups.front().lanes > 1;
  const ContiguousFactor<T> inverse = tiles ? ContiguousFactor<T>(maps, T{-1}) : logarithmic;
  const auto solve = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const SampleGroup& group = groups[static_cast<std::size_t>(i % count)];
      const FactorImage<T> image =
          group.lanes == 1 ? logarithmic.image(i / count) : inverse.image(i / count);
      const std::int64_t start = (i / count * b.size(1) + group.first) * pixels;
      solve_group<kSide>(image, group, in + start, out + start, store);
    }
  };
  const std::int64_t tasks = b.size(0) * count;
  if (!tiles && tasks < at::get_num_threads() && solves_one_by_threads(logarithmic.image(0))) {
    solve(0, tasks);
  } else {
    at::parallel_for(0, tasks, grain, solve);
  }
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
