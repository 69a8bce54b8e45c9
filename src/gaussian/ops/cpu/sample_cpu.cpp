#include "gaussian/ops/cpu/sample_cpu.hpp"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "gaussian/huge_pages.hpp"
#include "gaussian/kernels/normals.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/cpu/sample_groups.hpp"
#include "gaussian/ops/cpu/single_solver.hpp"
#include "gaussian/ops/cpu/strip_tile.hpp"
#include "gaussian/ops/cpu/tile_solver.hpp"

namespace supn::cpu {
namespace {

// One image: its factor in the forms that are needed, and where its results go.
template <typename T>
struct Image {
  FactorImage<T> alone;     // with φ
  FactorImage<T> solve;     // with e^−φ
  FactorImage<T> multiply;  // with e^φ
  const T* mean;
  std::uint64_t seed;
  std::int64_t first_sample;  // of the range
};

// Of a group of samples.
template <typename T>
struct Results {
  strip::Store store;
  T* values;
  double* residual_squares;
  double* noise_squares;
};

template <typename T>
void add_row(T* values, const T* mean, std::int64_t width) {
  for (std::int64_t x = 0; x < width; ++x) values[x] = mean[x] + values[x];
}

// The noise of a row starts inside a block of four pixels if the width is not a multiple of four.
template <typename T>
const T* fill_noise_row(T* buffer,
                        const Image<T>& image,
                        const SampleGroup& group,
                        std::int64_t y) {
  const std::int64_t first = y * image.solve.width;
  const std::int64_t lead = first % 4;
  const NoiseStream stream{image.seed,
                           static_cast<std::uint64_t>(image.first_sample + group.first),
                           static_cast<std::uint64_t>(first / 4)};
  const std::int64_t blocks = (lead + image.solve.width + 3) / 4;
  normal_kernels<T>().fill_lanes(buffer, stream, blocks, group.lanes);
  return buffer + lead * group.lanes;
}

template <typename T>
void sample_tile(const Image<T>& image, const SampleGroup& group, const Results<T>& results) {
  const std::int64_t width = image.solve.width;
  TileSolver<Side::kLater, T> solver(image.solve, image.multiply.diagonal, group.lanes);
  const AlignedBuffer<T> noise((width + 8) * group.lanes);
  const AlignedBuffer<T> residual(width * group.lanes);
  const AlignedBuffer<T> spare(width);  // where lanes without a sample go
  std::array<T*, tile::kMostLanes<T>> to;
  to.fill(spare.data());
  std::array<double, tile::kMostLanes<T>> residual_squares{};
  std::array<double, tile::kMostLanes<T>> noise_squares{};
  const tile::Extent extent{width, group.lanes};
  solver.solve([&](std::int64_t y) { return fill_noise_row(noise.data(), image, group, y); },
               [&](const TileRow<T>& row) {
                 const std::int64_t start = row.y * width;
                 for (std::int64_t s = 0; s < group.count; ++s) {
                   to[static_cast<std::size_t>(s)] =
                       results.values + s * image.solve.pixels() + start;
                 }
                 tile::deinterleave<T>(to.data(), row.tile.solution, extent);
                 for (std::int64_t s = 0; s < group.count; ++s) {
                   add_row(to[static_cast<std::size_t>(s)], image.mean + start, width);
                 }
                 solver.residual(row, residual.data());
                 tile::add_squares<T>(residual_squares.data(), residual.data(), extent);
                 tile::add_squares<T>(noise_squares.data(), row.tile.rhs, extent);
               });
  std::copy_n(residual_squares.data(), group.count, results.residual_squares);
  std::copy_n(noise_squares.data(), group.count, results.noise_squares);
}

// The same by strips of eight samples.
void sample_strips(const Image<float>& image,
                   const SampleGroup& group,
                   const Results<float>& results) {
  const std::int64_t width = image.solve.width;
  StripTile<Side::kLater> tile(image.solve, image.multiply.diagonal, group.lanes / strip::kLanes);
  const AlignedBuffer<float> noise((strip::kColumns + 8) * strip::kLanes);
  const AlignedBuffer<float> residual(strip::kColumns * strip::kLanes);
  const AlignedBuffer<float> spare(width);  // where lanes without a sample go
  std::array<double, tile::kMostLanes<float>> residual_squares{};
  std::array<double, tile::kMostLanes<float>> noise_squares{};
  tile.solve([&](const StripPart& part, strip::Piece piece) {
    const std::int64_t first = part.y * width + part.columns.begin;
    const std::int64_t lead = first % 4;
    const std::int64_t lane = part.strip * strip::kLanes;
    const NoiseStream stream{image.seed,
                             static_cast<std::uint64_t>(image.first_sample + group.first + lane),
                             static_cast<std::uint64_t>(first / 4)};
    const std::int64_t blocks = (lead + piece.columns + 3) / 4;
    normal_kernels<float>().fill_lanes(noise.data(), stream, blocks, strip::kLanes);
    piece.rhs = noise.data() + lead * strip::kLanes;
    strip::substitute_with_residual(piece, residual.data());
    std::array<float*, strip::kLanes> to;
    to.fill(spare.data() + part.columns.begin);
    for (std::int64_t i = 0; i < std::min(strip::kLanes, group.count - lane); ++i) {
      to[static_cast<std::size_t>(i)] = results.values + (lane + i) * image.solve.pixels() + first;
    }
    strip::deinterleave(
        to.data(), piece.solution, image.mean + first, piece.columns, results.store);
    strip::add_squares(residual_squares.data() + lane, residual.data(), piece.columns);
    strip::add_squares(noise_squares.data() + lane, piece.rhs, piece.columns);
  });
  strip::finish_stores();
  std::copy_n(residual_squares.data(), group.count, results.residual_squares);
  std::copy_n(noise_squares.data(), group.count, results.noise_squares);
}

// ‖Lᵀs − ε‖².
template <typename T>
double residual_of(const FactorImage<T>& image, const T* solution, const T* noise) {
  std::vector<T> residual(static_cast<std::size_t>(image.width));
  double squares = 0.0;
  for (std::int64_t y = 0; y < image.height; ++y) {
    T* acc = residual.data();
    const std::int64_t start = y * image.width;
    std::fill(residual.begin(), residual.end(), T{0});
    const FieldRow<T> field{kAdd<T>, solution, acc};
    accumulate_other_rows<Side::kLater>(image, y, field);
    accumulate_own_row<Side::kLater>(image, y, field);
    row::add_products<T>(acc, image.diagonal_row(y), solution + start, image.width);
    for (std::int64_t x = 0; x < image.width; ++x) acc[x] -= noise[start + x];
    squares += row::sum_of_squares<T>(acc, image.width);
  }
  return squares;
}

template <typename T>
bool fits_staircase(const FactorImage<T>& image) {
  return std::is_same_v<T, float> && staircase_fits(image.radius, image.height, image.width);
}

template <typename T>
void sample_one(const Image<T>& image, const SampleGroup& group, const Results<T>& results) {
  const auto sample = static_cast<std::uint64_t>(image.first_sample + group.first);
  const NoiseStream stream{image.seed, sample, 0};
  if constexpr (std::is_same_v<T, float>) {
    if (fits_staircase(image.alone)) {
      const auto squares = sample_staircase(image.alone, stream, image.mean, results.values);
      *results.residual_squares = squares.residual;
      *results.noise_squares = squares.rhs;
      return;
    }
  }
  const std::int64_t pixels = image.solve.pixels();
  const AlignedBuffer<T> noise(pixels);
  normal_kernels<T>().fill(noise.data(), stream, pixels);
  const T* eps = noise.data();
  solve_one<Side::kLater>(image.alone, eps, results.values);
  *results.residual_squares = residual_of<T>(image.multiply, results.values, eps);
  *results.noise_squares = row::sum_of_squares<T>(eps, pixels);
  add_row(results.values, image.mean, pixels);
}

template <typename T>
void sample_group(const Image<T>& image, const SampleGroup& group, const Results<T>& results) {
  if (group.lanes == 1) return sample_one(image, group, results);
  if constexpr (std::is_same_v<T, float>) {
    if (strips_fit(image.solve.radius)) return sample_strips(image, group, results);
  }
  sample_tile(image, group, results);
}

template <typename T>
ExactSamples sampled(const FactorMaps& factor,
                     const at::Tensor& mean_map,
                     std::span<const std::uint64_t> seeds,
                     const SampleRange& range) {
  const FactorMaps maps{
      factor.log_diagonal, factor.off_diagonal.contiguous(), factor.neighbourhood};
  const ContiguousFactor<T> logarithmic(maps);
  const at::Tensor mean = mean_map.contiguous();
  const std::int64_t images = mean.size(0);
  const std::int64_t pixels = mean.size(2) * mean.size(3);
  const auto f64 = mean.options().dtype(at::kDouble);
  ExactSamples result{
      empty_on_huge_pages({images, range.count, mean.size(2), mean.size(3)}, mean.options()),
      at::empty({images, range.count}, f64),
      at::empty({images, range.count}, f64)};
  T* values = result.values.mutable_data_ptr<T>();
  const Results<T> all{store_of(values, result.values.numel(), mean.size(3)),
                       values,
                       result.residual_squares.mutable_data_ptr<double>(),
                       result.noise_squares.mutable_data_ptr<double>()};
  const T* means = mean.const_data_ptr<T>();
  const std::vector<SampleGroup> groups =
      sample_groups<T>({images, range.count, at::get_num_threads()});
  const auto count = static_cast<std::int64_t>(groups.size());
  const bool alone = groups.front().lanes == 1 && fits_staircase(logarithmic.image(0));
  const ContiguousFactor<T> inverse = alone ? logarithmic : ContiguousFactor<T>(maps, T{-1});
  const ContiguousFactor<T> direct = alone ? logarithmic : ContiguousFactor<T>(maps, T{1});
  const auto sample = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / count;
      const SampleGroup& group = groups[static_cast<std::size_t>(i % count)];
      const Image<T> image{logarithmic.image(b),
                           inverse.image(b),
                           direct.image(b),
                           means + b * pixels,
                           seeds[static_cast<std::size_t>(b)],
                           range.first};
      const std::int64_t first = b * range.count + group.first;
      sample_group<T>(image,
                      group,
                      {all.store,
                       all.values + first * pixels,
                       all.residual_squares + first,
                       all.noise_squares + first});
    }
  };
  if (alone && images * count < at::get_num_threads()) {
    sample(0, images * count);
  } else {
    at::parallel_for(0, images * count, 1, sample);
  }
  return result;
}

}  // namespace

ExactSamples sample_exactly(const FactorMaps& factor,
                            const at::Tensor& mean,
                            std::span<const std::uint64_t> seeds,
                            const SampleRange& range) {
  return AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "sample_exactly", [&] {
    return sampled<scalar_t>(factor, mean, seeds, range);
  });
}

}  // namespace supn::cpu
