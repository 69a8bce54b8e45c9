#include "supn/evaluation/depth/point_choice.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>

#include "supn/errors.hpp"
#include "supn/evaluation/depth/active_points.hpp"
#include "supn/evaluation/scores/scale_ratio.hpp"
#include "supn/rounded.hpp"

namespace supn {

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
    return {rule.fixed, "auto: fixed, the known points' median is " + rounded(ratio, 4), to_fixed};
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
  const std::int64_t count = std::min(options.count, measurements.count());
  if (options.selection == PointSelection::kRandom || count == 0) {
    return random_order(measurements.count(), options.seed).narrow(0, 0, count);
  }
  const double scale = choose_scale(options.scale, gaussian.mean(), measurements).scale;
  return active_points(
      gaussian,
      measurements,
      {.count = count,
       .seed = options.seed,
       .noise_variance = typical_noise_variance(measurements, scale, options.noise, DepthRange())});
}

}  // namespace supn
