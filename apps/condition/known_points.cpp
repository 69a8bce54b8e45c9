#include "condition/known_points.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "supn/errors.hpp"
#include "supn/evaluation/scores/order_statistics.hpp"
#include "supn/evaluation/scores/scale_ratio.hpp"
#include "supn/gaussian/active_measurement.hpp"

namespace supn {
namespace {

constexpr std::int64_t kCandidates = 1024;

double planned_noise_variance(const StructuredGaussian& gaussian,
                              const DepthMeasurements& candidates,
                              const SelectionOptions& options) {
  const double scale = choose_scale(options.scale, gaussian.mean(), candidates).scale;
  const DepthMeasurements usable =
      selected(candidates, representable(candidates, scale, DepthRange()));
  if (usable.count() == 0) return 0.0;
  return supn::median(logit_noise_variance(usable.depth_m, scale, options.noise, DepthRange()));
}

at::Tensor active_points(const StructuredGaussian& gaussian,
                         const DepthMeasurements& measurements,
                         const SelectionOptions& options) {
  const at::Tensor order = random_order(measurements.count(), options.seed);
  const at::Tensor drawn =
      order.narrow(0, 0, std::min(std::max(kCandidates, options.count), measurements.count()));
  const DepthMeasurements candidates = selected(measurements, drawn);
  const ActiveMeasurement plan =
      plan_measurements(gaussian,
                        {.count = options.count,
                         .noise_variance = planned_noise_variance(gaussian, candidates, options),
                         .candidates = candidates.pixels});
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

}  // namespace

ChosenScale choose_scale(const ScaleRule& rule,
                         const at::Tensor& mean_logit,
                         const DepthMeasurements& known) {
  if (known.count() == 0) {
    if (rule.mode == ScaleMode::kFixed) return {rule.fixed, "fixed"};
    if (rule.mode == ScaleMode::kAuto) return {rule.fixed, "fixed, as there are no known points"};
    throw ConfigError("--scale median needs known points; give --scale fixed:5.4, or points");
  }
  const double ratio = median_scale(mean_logit, known, DepthRange());
  if (rule.mode == ScaleMode::kMedian) return {ratio, "median of the known points"};
  const double to_fixed = ratio / rule.fixed;
  if (rule.mode == ScaleMode::kFixed) return {rule.fixed, "fixed", to_fixed};
  if (std::abs(to_fixed - 1.0) <= kAgreement) {
    return {rule.fixed,
            fmt::format("auto: fixed, the known points' median is {:.4g}", ratio),
            to_fixed};
  }
  return {ratio, "auto: median of the known points", to_fixed};
}

std::string scale_warning(const ScaleRule& rule, const std::optional<double>& ratio) {
  if (!ratio || is_plausible_scale_ratio(*ratio)) return "";
  const std::string fact = scale_ratio_text(*ratio, rule.fixed);
  if (rule.mode == ScaleMode::kFixed) {
    return fact +
           ": the scale does not fit; use --scale median for a network trained without "
           "stereo pairs, or check the points' unit (metres)";
  }
  return fact +
         ": --scale auto follows the points, which is right for a network trained without "
         "stereo pairs alone; check that they are metres (not millimetres or disparities)";
}

at::Tensor select_points(const StructuredGaussian& gaussian,
                         const DepthMeasurements& measurements,
                         const SelectionOptions& options) {
  SelectionOptions bounded = options;
  bounded.count = std::min(options.count, measurements.count());
  if (options.selection == PointSelection::kActive) {
    return active_points(gaussian, measurements, bounded);
  }
  return random_order(measurements.count(), options.seed).narrow(0, 0, bounded.count);
}

}  // namespace supn
