#include "supn/network/kriging.hpp"

#include <ATen/TracerMode.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <map>
#include <vector>

#include "supn/gaussian/vecchia.hpp"

namespace supn {
namespace {

// Regressions of a class's pixels by which of their neighbours exist: there are few such patterns.
class ClassRegressions {
 public:
  ClassRegressions(const PixelClass& pixels, const ImageSize& size, const StartingField& field)
      : pixels_(pixels), size_(size), field_(field) {}

  void write(std::int64_t row, std::int64_t column, Kriging& result) {
    const std::vector<std::size_t> present = neighbours_of(row, column);
    const auto [found, is_new] = by_pattern_.try_emplace(present);
    if (is_new) {
      std::vector<Offset> offsets;
      for (const std::size_t k : present) offsets.push_back(pixels_.offsets[k]);
      found->second = regression_on(
          offsets, field_.smoothness, field_.length * static_cast<double>(size_.width));
    }
    const std::int64_t plane = size_.height * size_.width;
    const std::int64_t pixel = row * size_.width + column;
    const double variance = field_.std * field_.std * found->second.variance;
    result.log_diagonal.data_ptr<float>()[pixel] = static_cast<float>(-0.5 * std::log(variance));
    for (std::size_t i = 0; i < present.size(); ++i) {
      const std::int64_t place = static_cast<std::int64_t>(present[i]) * plane + pixel;
      result.weights.data_ptr<float>()[place] = static_cast<float>(found->second.weights[i]);
      result.neighbours.data_ptr<float>()[place] = 1.0F;
    }
  }

 private:
  std::vector<std::size_t> neighbours_of(std::int64_t row, std::int64_t column) const {
    std::vector<std::size_t> present;
    for (std::size_t k = 0; k < pixels_.offsets.size(); ++k) {
      const Offset& offset = pixels_.offsets[k];
      const bool is_inside = row + offset.dy >= 0 && row + offset.dy < size_.height &&
                             column + offset.dx >= 0 && column + offset.dx < size_.width;
      if (is_inside) present.push_back(k);
    }
    return present;
  }

  const PixelClass& pixels_;
  const ImageSize& size_;
  const StartingField& field_;
  std::map<std::vector<std::size_t>, PixelRegression> by_pattern_;
};

}  // namespace

Kriging kriging(const Neighbourhood& neighbourhood,
                const ImageSize& size,
                const StartingField& field) {
  TORCH_CHECK(!neighbourhood.is_raster(), "kriging: the order is ", neighbourhood.description());
  // Tracing (torch_script.cpp) would not see the values written below.
  const at::tracer::impl::NoTracerDispatchMode untraced;
  Kriging result{at::zeros({1, 1, size.height, size.width}),
                 at::zeros({1, neighbourhood.size(), size.height, size.width}),
                 at::zeros({1, neighbourhood.size(), size.height, size.width})};
  for (const PixelClass& pixels : neighbourhood.classes(size)) {
    ClassRegressions regressions(pixels, size, field);
    for (std::int64_t row = pixels.row; row < size.height; row += pixels.stride) {
      for (std::int64_t column = pixels.column; column < size.width; column += pixels.stride) {
        regressions.write(row, column, result);
      }
    }
  }
  return result;
}

}  // namespace supn
