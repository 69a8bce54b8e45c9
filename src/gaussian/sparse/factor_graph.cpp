#include "gaussian/sparse/factor_graph.hpp"

#include <algorithm>
#include <cmath>

#include "gaussian/in_float64.hpp"

namespace supn {
namespace {

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

FactorGraph::FactorGraph(const StructuredGaussian& gaussian) : width_(gaussian.width()) {
  check_one_image("FactorGraph", gaussian);
  const auto count = static_cast<std::size_t>(gaussian.pixels());
  const std::vector<PixelClass> classes = gaussian.neighbourhood().classes(gaussian.size());
  position_.resize(count);
  pixel_.reserve(count);
  std::vector<std::vector<std::int64_t>> of_class;
  for (const PixelClass& pixels : classes) {
    const std::int64_t stride = std::int64_t{1} << pixels.level;
    if (levels_.empty() || levels_.back().stride != stride) {
      levels_.push_back({stride, static_cast<std::int64_t>(pixel_.size())});
    }
    of_class.push_back(pixels_of(pixels, gaussian.size()));
    for (const std::int64_t pixel : of_class.back()) {
      position_[index(pixel)] = static_cast<std::int32_t>(pixel_.size());
      pixel_.push_back(pixel);
    }
  }
  inverse_.reserve(count);
  start_.reserve(count + 1);
  start_.push_back(0);
  neighbours_.reserve(count * static_cast<std::size_t>(gaussian.neighbourhood().size()));
  coefficients_.reserve(neighbours_.capacity());
  for (std::size_t c = 0; c < classes.size(); ++c) add_rows(gaussian, classes[c], of_class[c]);
}

void FactorGraph::add_rows(const StructuredGaussian& gaussian,
                           const PixelClass& pixels,
                           const std::vector<std::int64_t>& of_class) {
  const auto [height, width] = gaussian.size();
  const at::Tensor phi = gaussian.log_diagonal().contiguous();
  const at::Tensor psi = gaussian.off_diagonal().contiguous();
  const double* log_diagonal = phi.const_data_ptr<double>();
  const double* off_diagonal = psi.numel() > 0 ? psi.const_data_ptr<double>() : nullptr;
  for (const std::int64_t n : of_class) {
    inverse_.push_back(std::exp(-log_diagonal[n]));
    for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
      const std::int64_t y = n / width + pixels.offsets[k].dy;
      const std::int64_t x = n % width + pixels.offsets[k].dx;
      if (y < 0 || y >= height || x < 0 || x >= width) continue;
      neighbours_.push_back(position_[index(y * width + x)]);
      coefficients_.push_back(off_diagonal[static_cast<std::int64_t>(k) * height * width + n]);
    }
    start_.push_back(static_cast<std::int64_t>(neighbours_.size()));
  }
}

}  // namespace supn
