#include "gaussian/ops/class_taps.hpp"

#include <algorithm>

namespace supn {
namespace {

struct Range {
  std::int64_t first;  // the first pixel
  std::int64_t count;
};

// Of the pixels first, first + stride, … below `length`: those that stay inside after the shift.
Range inside(std::int64_t first, std::int64_t stride, std::int64_t length, std::int64_t shift) {
  const std::int64_t skipped = std::max<std::int64_t>(0, (-shift - first + stride - 1) / stride);
  const std::int64_t begin = first + skipped * stride;
  const std::int64_t end = std::min(length, length - shift);
  return {begin, end > begin ? (end - begin - 1) / stride + 1 : 0};
}

at::Tensor strided(const at::Tensor& image, const Tap& tap, const Offset& shift) {
  const auto along =
      [&](const at::Tensor& x, std::int64_t dimension, std::int64_t first, std::int64_t count) {
        return x.slice(dimension, first, first + (count - 1) * tap.stride + 1, tap.stride);
      };
  return along(
      along(image, 2, tap.row + shift.dy, tap.rows), 3, tap.column + shift.dx, tap.columns);
}

}  // namespace

at::Tensor Tap::at_pixel(const at::Tensor& image) const { return strided(image, *this, {0, 0}); }

at::Tensor Tap::at_neighbour(const at::Tensor& image) const {
  return strided(image, *this, offset);
}

std::vector<Tap> taps(const PixelClass& pixels, const ImageSize& size) {
  std::vector<Tap> result;
  for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
    const Offset& offset = pixels.offsets[k];
    const Range rows = inside(pixels.row, pixels.stride, size.height, offset.dy);
    const Range columns = inside(pixels.column, pixels.stride, size.width, offset.dx);
    if (rows.count == 0 || columns.count == 0) continue;
    result.push_back({static_cast<std::int64_t>(k),
                      rows.first,
                      columns.first,
                      rows.count,
                      columns.count,
                      pixels.stride,
                      offset});
  }
  return result;
}

}  // namespace supn
