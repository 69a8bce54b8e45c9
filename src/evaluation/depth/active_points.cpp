#include "supn/evaluation/depth/active_points.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <unordered_map>

#include "supn/evaluation/scores/order_statistics.hpp"
#include "supn/gaussian/active_measurement.hpp"

namespace supn {
namespace {

constexpr std::int64_t kCandidates = 1024;

}  // namespace

at::Tensor active_points(const StructuredGaussian& gaussian,
                         const DepthMeasurements& measurements,
                         const ActiveOptions& options) {
  const std::int64_t count = std::min(options.count, measurements.count());
  const at::Tensor drawn =
      random_order(measurements.count(), options.seed)
          .narrow(0, 0, std::min(std::max(kCandidates, count), measurements.count()));
  const DepthMeasurements candidates = selected(measurements, drawn);
  const ActiveMeasurement plan = plan_measurements(
      gaussian,
      {.count = count, .noise_variance = options.noise_variance, .candidates = candidates.pixels});
  std::unordered_map<std::int64_t, std::int64_t> place;  // pixel -> index of the measurement
  for (std::int64_t i = 0; i < candidates.count(); ++i) {
    place[candidates.pixels[i].item<std::int64_t>()] = drawn[i].item<std::int64_t>();
  }
  at::Tensor chosen = at::empty({plan.pixels.size(0)}, at::kLong);
  for (std::int64_t i = 0; i < chosen.size(0); ++i) {
    chosen[i] = place.at(plan.pixels[i].item<std::int64_t>());
  }
  return chosen;
}

double typical_noise_variance(const DepthMeasurements& measurements,
                              double scale,
                              const DepthNoise& noise,
                              const DepthRange& range) {
  const DepthMeasurements usable =
      selected(measurements, representable(measurements, scale, range));
  if (usable.count() == 0) return 0.0;
  return supn::median(depth_observations(usable, scale, noise, range).noise_variance);
}

}  // namespace supn
