#include "eval/fit_temperature.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "common/progress.hpp"
#include "eval/evaluated_models.hpp"
#include "supn/data/dataset.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/calibration/tail_values.hpp"
#include "supn/evaluation/calibration/temperature_fit.hpp"
#include "supn/evaluation/calibration/truth_calibration.hpp"
#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/isotropic_field.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

// At most so many ground-truth points of an image count.
constexpr std::int64_t kPointsOfImage = 100;
// For tails: so many others are judged, given each of these.
constexpr std::int64_t kJudged = 200;
constexpr std::array<std::int64_t, 4> kKnown{25, 50, 100, 200};
constexpr double kKnownNoise = 0.02;  // relative std

// An image's ground truth at points in random order.
struct RandomPoints {
  PointGaussian joint;  // with temperature 1
  at::Tensor logits;
  at::Tensor noise_variance;
};

// Holds what a split says of a model whose temperature is 1, an element an image.
struct Evidence {
  std::vector<DensityEvidence> densities;
  std::vector<FieldPoints> log_ratios;  // of true to predicted depth, at ground-truth points
  std::vector<RandomPoints> points;     // for tails
};

void add_members(const StructuredGaussian& gaussian, const Example& example, Evidence& evidence) {
  const at::Tensor members = example.predictions.front().unsqueeze(0).to(at::kDouble);
  const StructuredGaussian exact = gaussian.to(at::kDouble);
  const at::Tensor z = whiten(exact, members);
  const at::Tensor nats = log_prob(exact, members);
  const ThreadCount one_order_of_sums(1);
  evidence.densities.push_back({.squares = z.square().sum().item<double>(),
                                .log_density = nats.sum().item<double>(),
                                .count = members.numel()});
}

std::uint64_t seed_of(const Example& example, const EvaluationConfig& evaluation) {
  return image_seed(static_cast<std::uint64_t>(evaluation.seed), example.frame.id());
}

// Returns `count` random ground-truth points of an image, fewer or none where it has no more.
TruthPoints points_of(const JointField& field,
                      const Example& example,
                      const EvaluationConfig& evaluation,
                      std::int64_t count) {
  const TruthPoints none{.pixels = at::empty({0}, at::kLong),
                         .logits = at::empty({0}, at::kDouble)};
  if (!example.depth_m.defined()) return none;
  const GroundTruth truth = ground_truth(example.depth_m, evaluation.protocol);
  if (truth.count() == 0) return none;
  return truth_points(field.mean(), truth, evaluation, seed_of(example, evaluation), count);
}

void add_truth(const JointField& field,
               const Example& example,
               const EvaluationConfig& evaluation,
               Evidence& evidence) {
  const TruthPoints points = points_of(field, example, evaluation, kPointsOfImage);
  if (points.pixels.size(0) < 2) return;
  const PointGaussian at_points = point_gaussian(field, points.pixels);
  const ThreadCount one_order_of_sums(1);
  const DepthRange range{evaluation.min_depth, evaluation.max_depth};
  const TruthDeviations deviations = truth_deviations(at_points, points, field.size(), range);
  const std::int64_t count = points.pixels.size(0);
  evidence.densities.push_back(
      {.squares = deviations.whitened.square().sum().item<double>(),
       .log_density = deviations.joint_log_density * static_cast<double>(count),
       .count = count});
  evidence.log_ratios.push_back({points.pixels,
                                 log_depth_ratio(field.mean(), points.pixels, points.logits, range),
                                 field.size().width});
}

// Nothing where the image has too few points.
void add_points(const JointField& field,
                const Example& example,
                const EvaluationConfig& evaluation,
                Evidence& evidence) {
  const std::int64_t count = kKnown.back() + kJudged;
  const TruthPoints points = points_of(field, example, evaluation, count);
  if (points.pixels.size(0) < count) return;
  const at::Tensor order = random_order(count, seed_of(example, evaluation));
  const at::Tensor pixels = points.pixels.index_select(0, order);
  const at::Tensor logits = points.logits.index_select(0, order);
  const DepthRange range{evaluation.min_depth, evaluation.max_depth};
  // Relative noise is the same in logits whatever the scale.
  const at::Tensor depth = depth_from_disparity(disparity_from_logit(logits, range), 1.0);
  evidence.points.push_back({point_gaussian(field, pixels),
                             logits,
                             logit_noise_variance(depth, 1.0, {.relative = kKnownNoise}, range)});
}

std::optional<Tails> tails_of(const Evidence& evidence, double temperature) {
  const ThreadCount one_order_of_sums(1);
  std::vector<TailValues> parts;
  for (const RandomPoints& points : evidence.points) {
    const PointGaussian joint{points.joint.mean,
                              points.joint.covariance * (temperature * temperature)};
    for (const std::int64_t known : kKnown) {
      parts.push_back(tail_values(joint, points.logits, points.noise_variance, known, kJudged));
    }
  }
  return parts.empty() ? std::nullopt : std::optional(fit_tails(parts));
}

Evidence evidence_of(CheckpointModel& model,
                     CalibratedOn on,
                     const KittiDataset& dataset,
                     const EvaluationConfig& evaluation) {
  Progress progress("temperature", dataset.size());
  Evidence evidence;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const Example example = dataset.example(i, Augmentation());
    const StructuredGaussian gaussian = model.predict(example.image);
    if (on == CalibratedOn::kMembers) {
      add_members(gaussian, example, evidence);
    } else {
      const StructuredField field(gaussian);
      add_truth(field, example, evaluation, evidence);
      add_points(field, example, evaluation, evidence);
    }
    progress.advance();
  }
  progress.finish();
  return evidence;
}

Temperature fitted(CheckpointModel& model,
                   CalibratedOn on,
                   const KittiDataset& dataset,
                   const EvaluationConfig& evaluation) {
  const Evidence evidence = evidence_of(model, on, dataset, evaluation);
  const std::string split = split_file(dataset.config(), Split::kVal).filename().string();
  if (evidence.densities.empty()) {
    throw ConfigError("--fit-temperature truth: no image of " + split +
                      " has ground truth that counts; check data.root and data.depth_folders");
  }
  const FittedTemperature fit = fit_temperature(evidence.densities);
  if (!std::isfinite(fit.value) || fit.value <= 0.0) {
    throw ConfigError(model.name() + ": the whitened values' root mean square is " +
                      std::to_string(fit.value) +
                      ", so no temperature fits; the checkpoint's factors are not finite");
  }
  Temperature temperature{.value = fit.value,
                          .fitted_on = split,
                          .images = std::ssize(evidence.densities),
                          .log_likelihood_before = fit.log_density_at_one,
                          .log_likelihood_after = fit.log_density,
                          .standard_error = fit.standard_error};
  if (on == CalibratedOn::kTruth) {
    for (const DensityEvidence& image : evidence.densities) temperature.points += image.count;
    temperature.isotropic = fit_isotropic_field(evidence.log_ratios);
    temperature.tails = tails_of(evidence, fit.value);
  }
  return temperature;
}

}  // namespace

void fit_temperatures(const std::vector<std::string>& checkpoints,
                      CalibratedOn on,
                      const Config& config,
                      c10::Device device) {
  if (checkpoints.empty()) throw ConfigError("--fit-temperature: give --checkpoint DIR");
  const bool by_members = on == CalibratedOn::kMembers;
  if (by_members && config.data.samples.empty()) {
    throw ConfigError(
        "--fit-temperature members: data.samples is not set; the temperature is that of the "
        "members' likelihood");
  }
  const c10::InferenceMode no_gradients;
  const KittiDataset dataset(config.data,
                             Split::kVal,
                             {.scales = by_members ? 1 : 0,
                              .depth = by_members ? Presence::kUnused : Presence::kIfPresent});
  for (const std::string& checkpoint : checkpoints) {
    CheckpointModel model(checkpoint, config.data, device, {.wanted = CalibratedOn::kNone});
    const Temperature temperature = fitted(model, on, dataset, config.evaluation);
    write_temperature(model.directory(), on, temperature);
    spdlog::info("{}: {}; log-density {:.4f} in place of {:.4f} nats per {}",
                 model.name(),
                 AppliedTemperature{on, temperature}.text(),
                 temperature.log_likelihood_after,
                 temperature.log_likelihood_before,
                 by_members ? "pixel and member" : "point");
  }
}

std::map<EnsembleFit, FittedTemperature> fit_ensemble_temperatures(
    const Config& config, const std::optional<CalibratedOn>& wanted) {
  if (wanted.value_or(CalibratedOn::kTruth) != CalibratedOn::kTruth) return {};
  if (split_file(config.data, Split::kVal).empty()) return {};
  const KittiDataset dataset(
      config.data,
      Split::kVal,
      {.scales = 1, .depth = Presence::kIfPresent, .image = Presence::kUnused});
  std::map<EnsembleFit, Evidence> evidence;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const Example example = dataset.example(i, Augmentation());
    for (const auto& [name, fit] : OptionNames<EnsembleFit>::values) {
      const LowRankField field = fit_to_ensemble(fit, example.predictions.front());
      add_truth(field, example, config.evaluation, evidence[fit]);
    }
  }
  std::map<EnsembleFit, FittedTemperature> temperatures;
  for (const auto& [fit, found] : evidence) {
    if (!found.densities.empty()) temperatures[fit] = fit_temperature(found.densities);
  }
  return temperatures;
}

}  // namespace supn
