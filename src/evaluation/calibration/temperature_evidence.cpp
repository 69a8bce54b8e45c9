#include "supn/evaluation/calibration/temperature_evidence.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <array>

#include "evaluation/depth/depth_range.hpp"
#include "supn/evaluation/calibration/tail_values.hpp"
#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn {
namespace {

// At most so many ground-truth points of an image count.
constexpr std::int64_t kPointsOfImage = 100;
// For tails: so many others are judged, given each of these.
constexpr std::int64_t kJudged = 200;
constexpr std::array<std::int64_t, 4> kKnown{25, 50, 100, 200};
constexpr double kKnownNoise = 0.02;  // relative std

// Returns `count` random ground-truth points of an image, fewer or none where it has no more.
TruthPoints random_points(const JointField& field,
                          const TemperatureEvidence::Image& image,
                          const EvaluationConfig& config,
                          std::int64_t count) {
  const TruthPoints none{.pixels = at::empty({0}, at::kLong),
                         .logits = at::empty({0}, at::kDouble)};
  if (!image.depth_m.defined()) return none;
  const GroundTruth truth = ground_truth(image.depth_m, config.protocol);
  if (truth.count() == 0) return none;
  return truth_points(field.mean(), truth, config, image.seed, count);
}

}  // namespace

void TemperatureEvidence::add_members(const StructuredGaussian& gaussian,
                                      const at::Tensor& members) {
  const at::Tensor values = members.unsqueeze(0).to(at::kDouble);
  const StructuredGaussian exact = gaussian.to(at::kDouble);
  const at::Tensor z = whiten(exact, values);
  const at::Tensor nats = log_prob(exact, values);
  const ThreadCount one_order_of_sums(1);
  densities_.push_back({.squares = z.square().sum().item<double>(),
                        .log_density = nats.sum().item<double>(),
                        .count = values.numel()});
}

void TemperatureEvidence::add_truth(const JointField& field,
                                    const Image& image,
                                    const EvaluationConfig& config) {
  const TruthPoints points = random_points(field, image, config, kPointsOfImage);
  if (points.pixels.size(0) < 2) return;
  const PointGaussian at_points = point_gaussian(field, points.pixels);
  const ThreadCount one_order_of_sums(1);
  const DepthRange range = depth_range(config);
  const TruthDeviations deviations = truth_deviations(at_points, points, field.size(), range);
  const std::int64_t count = points.pixels.size(0);
  densities_.push_back({.squares = deviations.whitened.square().sum().item<double>(),
                        .log_density = deviations.joint_log_density * static_cast<double>(count),
                        .count = count});
  log_ratios_.push_back({points.pixels,
                         log_depth_ratio(field.mean(), points.pixels, points.logits, range),
                         field.size().width});
}

void TemperatureEvidence::add_points(const JointField& field,
                                     const Image& image,
                                     const EvaluationConfig& config) {
  const std::int64_t count = kKnown.back() + kJudged;
  const TruthPoints points = random_points(field, image, config, count);
  if (points.pixels.size(0) < count) return;
  const at::Tensor order = random_order(count, image.seed);
  const at::Tensor pixels = points.pixels.index_select(0, order);
  const at::Tensor logits = points.logits.index_select(0, order);
  const DepthRange range = depth_range(config);
  // Relative noise is the same in logits whatever the scale.
  const at::Tensor depth = depth_from_disparity(disparity_from_logit(logits, range), 1.0);
  points_.push_back({point_gaussian(field, pixels),
                     logits,
                     logit_noise_variance(depth, 1.0, {.relative = kKnownNoise}, range)});
}

std::int64_t TemperatureEvidence::points() const {
  std::int64_t points = 0;
  for (const FieldPoints& image : log_ratios_) points += image.pixels.size(0);
  return points;
}

std::optional<Tails> TemperatureEvidence::tails(double temperature) const {
  const ThreadCount one_order_of_sums(1);
  std::vector<TailValues> parts;
  for (const RandomPoints& points : points_) {
    const PointGaussian joint{points.joint.mean,
                              points.joint.covariance * (temperature * temperature)};
    for (const std::int64_t known : kKnown) {
      parts.push_back(tail_values(joint, points.logits, points.noise_variance, known, kJudged));
    }
  }
  return parts.empty() ? std::nullopt : std::optional(fit_tails(parts));
}

}  // namespace supn
