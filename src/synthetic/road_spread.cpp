#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "supn/synthetic/road.hpp"

namespace supn {
namespace {

// Lengths in pixels are for an image this wide and grow with the width.
constexpr double kReferenceWidth = 320.0;
constexpr double kNearStd = 0.03;
constexpr double kFarStd = 0.19;
constexpr double kNearDepth = 4.0;
constexpr double kFarDepth = 80.0;
constexpr double kPlainFactor = 1.4;  // of the std where there is no texture
constexpr double kTexturedRange = 8.0;
constexpr double kPlainRange = 20.0;
constexpr double kEdgeWeight = 1.5;  // per unit of log depth

// Mean over a square window that is cut off at the border, as two passes.
std::vector<double> box_mean(const std::vector<double>& values,
                             const ImageSize& size,
                             std::int64_t radius) {
  const auto pass = [&](const std::vector<double>& in, std::int64_t count, std::int64_t stride) {
    std::vector<double> out(in.size());
    const std::int64_t lines = static_cast<std::int64_t>(in.size()) / count;
    const std::int64_t line_stride = stride == 1 ? count : 1;
    for (std::int64_t line = 0; line < lines; ++line) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = std::max<std::int64_t>(0, i - radius);
        const std::int64_t last = std::min(count - 1, i + radius);
        double sum = 0.0;
        for (std::int64_t j = first; j <= last; ++j) {
          sum += in[static_cast<std::size_t>(line * line_stride + j * stride)];
        }
        out[static_cast<std::size_t>(line * line_stride + i * stride)] =
            sum / static_cast<double>(last - first + 1);
      }
    }
    return out;
  };
  return pass(pass(values, size.width, 1), size.height, size.width);
}

// 0 where the image is plain, towards 1 where grey levels change a lot from pixel to pixel.
std::vector<double> texture_of(const at::Tensor& rgb) {
  const ImageSize size{rgb.size(0), rgb.size(1)};
  const at::Tensor grey_levels = rgb.to(at::kDouble).mean(2).contiguous();
  const auto* grey = grey_levels.const_data_ptr<double>();
  std::vector<double> change(static_cast<std::size_t>(size.height * size.width));
  for (std::int64_t y = 0; y < size.height; ++y) {
    for (std::int64_t x = 0; x < size.width; ++x) {
      const std::int64_t n = y * size.width + x;
      const double right = grey[x + 1 < size.width ? n + 1 : n];
      const double below = grey[y + 1 < size.height ? n + size.width : n];
      change[static_cast<std::size_t>(n)] = std::abs(right - grey[n]) + std::abs(below - grey[n]);
    }
  }
  const double scale = static_cast<double>(size.width) / kReferenceWidth;
  const auto radius = std::max<std::int64_t>(1, std::lround(3.0 * scale));
  std::vector<double> texture = box_mean(box_mean(change, size, radius), size, radius);
  constexpr double kHalfway = 9.0;  // grey levels
  for (double& value : texture) value = value / (value + kHalfway);
  return texture;
}

void check_view(const RoadView& view) {
  TORCH_CHECK(view.rgb.dim() == 3 && view.rgb.size(2) == 3 && view.depth_m.dim() == 2 &&
                  view.rgb.size(0) == view.depth_m.size(0) &&
                  view.rgb.size(1) == view.depth_m.size(1),
              "road_spread, road_gaussian: expected rgb [H,W,3] and depth_m [H,W], got ",
              view.rgb.sizes(),
              " and ",
              view.depth_m.sizes());
}

}  // namespace

at::Tensor road_depth(const RoadView& view) {
  check_view(view);
  const at::Tensor depth = view.depth_m.to(at::kDouble);
  return depth.masked_fill(depth.le(0.0), kRoadSkyDepth);
}

RoadSpread road_spread(const RoadView& view) {
  const at::Tensor log_depth = road_depth(view).log();
  const ImageSize size{log_depth.size(0), log_depth.size(1)};
  const std::vector<double> texture_values = texture_of(view.rgb);
  at::Tensor texture = at::empty({size.height, size.width}, at::kDouble);
  std::copy(texture_values.begin(), texture_values.end(), texture.mutable_data_ptr<double>());

  const double reach = std::log(kFarDepth / kNearDepth);
  const at::Tensor far = ((log_depth - std::log(kNearDepth)) / reach).clamp(0.0, 1.0);
  const at::Tensor plain = 1.0 - texture;
  RoadSpread spread;
  spread.std = (kNearStd + (kFarStd - kNearStd) * far) * (1.0 + (kPlainFactor - 1.0) * plain);
  spread.range = (kTexturedRange + (kPlainRange - kTexturedRange) * plain) *
                 (static_cast<double>(size.width) / kReferenceWidth);
  spread.edge_feature = log_depth * kEdgeWeight;
  return spread;
}

}  // namespace supn
