#include "supn/data/lidar_beams.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/hypot.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <bit>
#include <numbers>

namespace supn {
namespace {

constexpr std::int64_t kUpperBeams = 32;
constexpr double kUpperStart = 2.0;  // degrees
constexpr double kUpperStep = 1.0 / 3.0;
constexpr double kLowerStart = -8.83;
constexpr double kLowerStep = 0.5;
// In the middle between the two blocks.
constexpr double kBorder = (kUpperStart - kUpperStep * (kUpperBeams - 1) + kLowerStart) / 2.0;
constexpr std::int64_t kSingleBeam = 24;

// Elevation in degrees, seen from the scanner, of what the pixels (row, column) [P] show at depth w
// [P]: solves P·(x, y, z, 1) = w·(column + 1, row + 1, 1), as project_scan counts pixels from 1.
at::Tensor elevations(const at::Tensor& pixels,
                      const at::Tensor& depth,
                      const LidarCamera& camera) {
  at::Tensor projection = at::empty({3, 4}, at::kDouble);
  std::copy(
      camera.projection.begin(), camera.projection.end(), projection.mutable_data_ptr<double>());
  const at::Tensor place = pixels.to(at::kDouble) + 1.0;
  const at::Tensor image =
      at::stack({place.select(1, 1) * depth, place.select(1, 0) * depth, depth});
  const at::Tensor points =
      at::linalg_solve(projection.narrow(1, 0, 3), image - projection.narrow(1, 3, 1));
  return at::atan2(points[2], at::hypot(points[0], points[1])) * (180.0 / std::numbers::pi);
}

}  // namespace

at::Tensor nearest_beams(const at::Tensor& elevation) {
  const at::Tensor upper = ((kUpperStart - elevation) / kUpperStep).round();
  const at::Tensor lower = ((kLowerStart - elevation) / kLowerStep).round() + kUpperBeams;
  return at::where(elevation.gt(kBorder),
                   upper.clamp(0, kUpperBeams - 1),
                   lower.clamp(kUpperBeams, kLidarBeams - 1))
      .to(at::kLong);
}

at::Tensor few_beams(const at::Tensor& depth_m, const LidarCamera& camera, std::int64_t count) {
  TORCH_CHECK(depth_m.dim() == 2 && depth_m.size(0) == camera.size.height &&
                  depth_m.size(1) == camera.size.width,
              "few_beams: expected depth of the camera's ",
              camera.size.height,
              "x",
              camera.size.width,
              " pixels, got ",
              depth_m.sizes());
  TORCH_CHECK(
      count >= 1 && count <= kLidarBeams && std::has_single_bit(static_cast<std::uint64_t>(count)),
      "few_beams: expected 1, 2, 4 ... 64 beams, got ",
      count);
  const at::Tensor measured = depth_m.gt(0.0);
  const at::Tensor depth = depth_m.masked_select(measured).to(at::kDouble);
  const at::Tensor beams = nearest_beams(elevations(measured.nonzero(), depth, camera));
  const std::int64_t step = kLidarBeams / count;
  at::Tensor kept = at::zeros_like(measured);
  kept.masked_scatter_(measured, beams.remainder(step).eq(kSingleBeam % step));
  return depth_m.masked_fill(kept.logical_not(), 0.0);
}

}  // namespace supn
