#include "gaussian/sparse/factor_graph.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "gaussian/in_float64.hpp"

namespace supn {
namespace {

constexpr std::int64_t kGrain = 1024;  // pixels that are worth a thread

// Raster indices of a class's pixels in the order of a sample: the coarsest grid from the last
// back.
std::vector<std::int64_t> pixels_of(const PixelClass& pixels, const ImageSize& size) {
  std::vector<std::int64_t> result;
  for (std::int64_t y = pixels.row; y < size.height; y += pixels.stride) {
    for (std::int64_t x = pixels.column; x < size.width; x += pixels.stride) {
      result.push_back(y * size.width + x);
    }
  }
  if (pixels.step == 0) std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

FactorGraph::FactorGraph(const StructuredGaussian& gaussian)
    : width_(gaussian.width()),
      most_neighbours_(gaussian.neighbourhood().size()),
      neighbours_(gaussian.pixels() * most_neighbours_),
      coefficients_(gaussian.pixels() * most_neighbours_) {
  check_one_image("FactorGraph", gaussian);
  const auto count = static_cast<std::size_t>(gaussian.pixels());
  const std::vector<PixelClass> classes = gaussian.neighbourhood().classes(gaussian.size());
  position_.resize(count);
  pixel_.reserve(count);
  inverse_.resize(count);
  counts_.resize(count);
  for (const PixelClass& pixels : classes) {
    const std::int64_t stride = std::int64_t{1} << pixels.level;
    if (levels_.empty() || levels_.back().stride != stride) {
      levels_.push_back({stride, static_cast<std::int64_t>(pixel_.size())});
    }
    for (const std::int64_t pixel : pixels_of(pixels, gaussian.size())) {
      position_[index(pixel)] = static_cast<std::int32_t>(pixel_.size());
      pixel_.push_back(pixel);
    }
  }
  std::int64_t first = 0;
  for (const PixelClass& pixels : classes) {
    const std::int64_t last =
        first + pixels.rows(gaussian.size()) * pixels.columns(gaussian.size());
    at::parallel_for(first, last, kGrain, [&](std::int64_t begin, std::int64_t end) {
      add_rows(gaussian, pixels, begin, end);
    });
    first = last;
  }
}

void FactorGraph::add_rows(const StructuredGaussian& gaussian,
                           const PixelClass& pixels,
                           std::int64_t begin,
                           std::int64_t end) {
  const auto [height, width] = gaussian.size();
  const at::Tensor phi = gaussian.log_diagonal().contiguous();
  const at::Tensor psi = gaussian.off_diagonal().contiguous();
  const double* log_diagonal = phi.const_data_ptr<double>();
  const double* off_diagonal = psi.numel() > 0 ? psi.const_data_ptr<double>() : nullptr;
  for (std::int64_t position = begin; position < end; ++position) {
    const std::int64_t n = pixel(position);
    inverse_[index(position)] = std::exp(-log_diagonal[n]);
    std::int32_t* neighbour = neighbours_.data() + position * most_neighbours_;
    double* coefficient = coefficients_.data() + position * most_neighbours_;
    std::size_t count = 0;
    for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
      const std::int64_t y = n / width + pixels.offsets[k].dy;
      const std::int64_t x = n % width + pixels.offsets[k].dx;
      if (y < 0 || y >= height || x < 0 || x >= width) continue;
      neighbour[count] = position_[index(y * width + x)];
      coefficient[count++] = off_diagonal[static_cast<std::int64_t>(k) * height * width + n];
    }
    counts_[index(position)] = count;
  }
}

}  // namespace supn
