#include "supn/gaussian/class_view.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace supn {

at::Tensor class_view(const PixelClass& pixels, const at::Tensor& image) {
  return image.slice(2, pixels.row, std::nullopt, pixels.stride)
      .slice(3, pixels.column, std::nullopt, pixels.stride);
}

std::vector<at::Tensor> mean_by_level(const Neighbourhood& neighbourhood, const at::Tensor& map) {
  std::vector<at::Tensor> sums;
  std::vector<std::int64_t> counts;
  for (const PixelClass& pixels : neighbourhood.classes({map.size(2), map.size(3)})) {
    const at::Tensor own = class_view(pixels, map);
    const auto level = static_cast<std::size_t>(pixels.level);
    if (sums.size() <= level) {
      sums.resize(level + 1, at::zeros({}, own.options().dtype(at::kDouble)));
      counts.resize(level + 1, 0);
    }
    sums[level] = sums[level] + own.sum(at::kDouble);
    counts[level] += own.numel();
  }
  for (std::size_t level = 0; level < sums.size(); ++level) {
    sums[level] = sums[level] / static_cast<double>(counts[level]);
  }
  return sums;
}

}  // namespace supn
