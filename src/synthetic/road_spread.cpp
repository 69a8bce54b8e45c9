#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/max_pool2d.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

#include "supn/synthetic/road.hpp"

namespace supn {
namespace {

// Lengths in pixels are those of an image this wide, and grow with the width.
constexpr double kReferenceWidth = 320.0;

// log s = log kEasyStd + the sum of these times their maps, which lie in [0, 1].
constexpr double kEasyStd = 0.014;
constexpr double kFar = 0.3;
constexpr double kPlain = 2.4;
constexpr double kDark = 1.2;
constexpr double kHidden = 1.2;
constexpr double kEdge = 1.0;
constexpr double kThin = 1.5;

constexpr double kNearDepth = 4.0;
constexpr double kFarDepth = 80.0;
constexpr double kTexturedRange = 12.0;
constexpr double kPlainRange = 40.0;
constexpr double kEdgeWeight = 1.5;  // per unit of log depth

enum class Window { kSquare, kRow };

// Filters of maps [H,W] whose windows reach `radius` pixels and are cut off at the border.
class Filters {
 public:
  explicit Filters(std::int64_t width) : scale_(static_cast<double>(width) / kReferenceWidth) {}

  at::Tensor mean(const at::Tensor& map, double radius) const {
    const auto [size, reach] = window(radius, Window::kSquare);
    return at::avg_pool2d(as_image(map), size, 1, reach, false, false)[0][0];
  }
  at::Tensor maximum(const at::Tensor& map, double radius, Window shape) const {
    const auto [size, reach] = window(radius, shape);
    return at::max_pool2d(as_image(map), size, 1, reach)[0][0];
  }
  at::Tensor minimum(const at::Tensor& map, double radius, Window shape) const {
    return -maximum(-map, radius, shape);
  }

 private:
  using Pair = std::array<std::int64_t, 2>;
  std::pair<Pair, Pair> window(double radius, Window shape) const {
    const auto reach = std::max<std::int64_t>(1, std::lround(radius * scale_));
    const std::int64_t rows = shape == Window::kRow ? 0 : reach;
    return {{2 * rows + 1, 2 * reach + 1}, {rows, reach}};
  }
  static at::Tensor as_image(const at::Tensor& map) { return map.unsqueeze(0).unsqueeze(0); }

  double scale_;
};

// The next pixel's value minus this one's along an axis, 0 at the end.
at::Tensor step(const at::Tensor& map, std::int64_t axis) {
  const std::int64_t last = map.size(axis) - 1;
  return at::cat({map.narrow(axis, 1, last), map.narrow(axis, last, 1)}, axis) - map;
}

// 1 where the image is plain, 0 where grey levels change a lot from pixel to pixel.
at::Tensor plainness(const at::Tensor& grey, const Filters& filters) {
  const at::Tensor change = step(grey, 0).abs() + step(grey, 1).abs();
  const at::Tensor texture = filters.mean(filters.mean(change, 3.0), 3.0);
  constexpr double kHalfway = 9.0;  // grey levels
  return ((kHalfway / (texture + kHalfway) - 0.3) / 0.5).clamp(0.0, 1.0);
}

// What stands behind something nearer in the same row: the parts beside it that one has to guess.
at::Tensor half_hidden(const at::Tensor& log_depth, const Filters& filters) {
  const at::Tensor behind = log_depth - filters.minimum(log_depth, 6.0, Window::kRow);
  return filters.mean((behind * 1.2 - 0.1).clamp(0.0, 1.0), 2.0);
}

at::Tensor depth_edges(const at::Tensor& log_depth, const Filters& filters) {
  const at::Tensor jump =
      filters.maximum(log_depth, 1.0, Window::kRow) - filters.minimum(log_depth, 1.0, Window::kRow);
  return filters.mean(jump.clamp(0.0, 1.0), 1.0);
}

// What is nearer than both its sides within a few pixels: poles, signs, trunks.
at::Tensor thin_things(const at::Tensor& log_depth, const Filters& filters) {
  const at::Tensor without =
      filters.minimum(filters.maximum(log_depth, 3.0, Window::kRow), 3.0, Window::kRow);
  return filters.mean(((without - log_depth) * 1.5).clamp(0.0, 1.0), 1.0);
}

void check_view(const RoadView& view) {
  TORCH_CHECK(view.rgb.dim() == 3 && view.rgb.size(2) == 3 && view.depth_m.dim() == 2 &&
                  view.rgb.size(0) == view.depth_m.size(0) &&
                  view.rgb.size(1) == view.depth_m.size(1),
              "road_spread, road_mean: expected rgb [H,W,3] and depth_m [H,W], got ",
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
  const at::Tensor grey = view.rgb.to(at::kDouble).mean(2);
  const Filters filters(grey.size(1));
  const at::Tensor plain = plainness(grey, filters);
  const at::Tensor dark = ((0.45 - filters.mean(grey, 2.0) / 255.0) / 0.3).clamp(0.0, 1.0);
  const double reach = std::log(kFarDepth / kNearDepth);
  const at::Tensor far = ((log_depth - std::log(kNearDepth)) / reach).clamp(0.0, 1.0);
  const at::Tensor difficulty =
      far * kFar + plain * kPlain + dark * kDark + half_hidden(log_depth, filters) * kHidden +
      depth_edges(log_depth, filters) * kEdge + thin_things(log_depth, filters) * kThin;
  return {.std = difficulty.exp() * kEasyStd,
          .range = (kTexturedRange + (kPlainRange - kTexturedRange) * plain) *
                   (static_cast<double>(grey.size(1)) / kReferenceWidth),
          .edge_feature = log_depth * kEdgeWeight};
}

}  // namespace supn
