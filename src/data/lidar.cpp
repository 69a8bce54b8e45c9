#include "supn/data/lidar.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <cmath>

#include "scan_points.hpp"

namespace supn {
namespace {

struct Projected {
  double column;
  double row;
  double depth;
};

Projected projected(const float* point, const std::array<double, 12>& p) {
  const double x = point[0];
  const double y = point[1];
  const double z = point[2];
  const double depth = p[8] * x + p[9] * y + p[10] * z + p[11];
  // Rounded to even by the default mode, as the protocol's reference does; counted from 1 there.
  return {std::nearbyint((p[0] * x + p[1] * y + p[2] * z + p[3]) / depth) - 1.0,
          std::nearbyint((p[4] * x + p[5] * y + p[6] * z + p[7]) / depth) - 1.0,
          depth};
}

bool is_inside(const Projected& point, const ImageSize& size) {
  return point.column >= 0.0 && point.column < static_cast<double>(size.width) &&
         point.row >= 0.0 && point.row < static_cast<double>(size.height);
}

}  // namespace

ProjectedScan project_scan(const at::Tensor& points, const LidarCamera& camera) {
  TORCH_CHECK(points.dim() == 2 && points.size(1) == 4 && points.is_floating_point(),
              "project_scan: expected points [P,4] of a floating-point dtype, got ",
              points.sizes());
  const at::Tensor packed = points.detach().cpu().to(at::kFloat).contiguous();
  const float* point = packed.const_data_ptr<float>();
  ProjectedScan scan;
  scan.depth_m = at::zeros({camera.size.height, camera.size.width}, at::kFloat);
  float* const depth = scan.depth_m.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < packed.size(0); ++i, point += 4) {
    if (!std::isfinite(point[0]) || !std::isfinite(point[1]) || !std::isfinite(point[2])) {
      ++scan.non_finite;
      continue;
    }
    if (!is_plausible_point(point)) {
      ++scan.implausible;
      continue;
    }
    if (point[0] < 0.0F) continue;
    const Projected place = projected(point, camera.projection);
    if (!(place.depth > 0.0) || !is_inside(place, camera.size)) continue;
    ++scan.visible;
    float& nearest = depth[static_cast<std::int64_t>(place.row) * camera.size.width +
                           static_cast<std::int64_t>(place.column)];
    const auto metres = static_cast<float>(place.depth);
    if (nearest == 0.0F || metres < nearest) nearest = metres;
  }
  return scan;
}

}  // namespace supn
