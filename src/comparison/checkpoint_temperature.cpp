#include "supn/comparison/checkpoint_temperature.hpp"

#include <c10/core/InferenceMode.h>

#include <cmath>
#include <cstdint>

#include "supn/comparison/checkpoint_model.hpp"
#include "supn/data/dataset.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/calibration/temperature_evidence.hpp"
#include "supn/gaussian/noise.hpp"

namespace supn {
namespace {

TemperatureEvidence::Image truth_of(const Example& example, const EvaluationConfig& evaluation) {
  return {.depth_m = example.depth_m,
          .seed = image_seed(static_cast<std::uint64_t>(evaluation.seed), example.frame.id())};
}

TemperatureEvidence evidence_of(CheckpointModel& model,
                                CalibratedOn on,
                                const KittiDataset& dataset,
                                const EvaluationConfig& evaluation,
                                const ImageCounter& on_image) {
  TemperatureEvidence evidence;
  on_image(0, dataset.size());
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const Example example = dataset.example(i, Augmentation());
    const StructuredGaussian gaussian = model.predict(example.image);
    if (on == CalibratedOn::kMembers) {
      evidence.add_members(gaussian, example.predictions.front());
    } else {
      const StructuredField field(gaussian);
      const TemperatureEvidence::Image truth = truth_of(example, evaluation);
      evidence.add_truth(field, truth, evaluation);
      evidence.add_points(field, truth, evaluation);
    }
    on_image(i + 1, dataset.size());
  }
  return evidence;
}

Temperature fitted(const std::string& model,
                   CalibratedOn on,
                   const TemperatureEvidence& evidence,
                   const std::string& split) {
  if (evidence.images() == 0) {
    throw ConfigError("the truth's temperature: no image of " + split +
                      " has ground truth that counts; check data.root and data.depth_folders");
  }
  const FittedTemperature fit = evidence.temperature();
  if (!std::isfinite(fit.value) || fit.value <= 0.0) {
    throw ConfigError(model + ": the whitened values' root mean square is " +
                      std::to_string(fit.value) +
                      ", so no temperature fits; the checkpoint's factors are not finite");
  }
  Temperature temperature{.value = fit.value,
                          .fitted_on = split,
                          .images = evidence.images(),
                          .log_likelihood_before = fit.log_density_at_one,
                          .log_likelihood_after = fit.log_density,
                          .points = evidence.points(),
                          .standard_error = fit.standard_error};
  if (on == CalibratedOn::kTruth) {
    temperature.isotropic = evidence.isotropic();
    temperature.tails = evidence.tails(fit.value);
  }
  return temperature;
}

}  // namespace

CheckpointTemperature fit_checkpoint_temperature(const std::string& checkpoint,
                                                 CalibratedOn on,
                                                 const ComparisonConfig& config,
                                                 c10::Device device,
                                                 const ImageCounter& on_image) {
  const bool by_members = on == CalibratedOn::kMembers;
  if (by_members && config.data.samples.empty()) {
    throw ConfigError(
        "the members' temperature: data.samples is not set; set it to the folder that "
        "supn_ensemble "
        "wrote");
  }
  const c10::InferenceMode no_gradients;
  const KittiDataset dataset(config.data,
                             Split::kVal,
                             {.scales = by_members ? 1 : 0,
                              .depth = by_members ? Presence::kUnused : Presence::kIfPresent});
  CheckpointModel model(checkpoint, config.data, device, {.wanted = CalibratedOn::kNone});
  const TemperatureEvidence evidence = evidence_of(model, on, dataset, config.evaluation, on_image);
  const std::string split = split_file(config.data, Split::kVal).filename().string();
  CheckpointTemperature result{model.name(), fitted(model.name(), on, evidence, split)};
  write_temperature(model.directory(), on, result.fit);
  return result;
}

std::map<EnsembleFit, FittedTemperature> fit_ensemble_temperatures(
    const ComparisonConfig& config, const std::optional<CalibratedOn>& wanted) {
  if (wanted.value_or(CalibratedOn::kTruth) != CalibratedOn::kTruth) return {};
  if (split_file(config.data, Split::kVal).empty()) return {};
  const KittiDataset dataset(
      config.data,
      Split::kVal,
      {.scales = 1, .depth = Presence::kIfPresent, .image = Presence::kUnused});
  std::map<EnsembleFit, TemperatureEvidence> evidence;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const Example example = dataset.example(i, Augmentation());
    for (const auto& [name, fit] : OptionNames<EnsembleFit>::values) {
      const LowRankField field = fit_to_ensemble(fit, example.predictions.front());
      evidence[fit].add_truth(field, truth_of(example, config.evaluation), config.evaluation);
    }
  }
  std::map<EnsembleFit, FittedTemperature> temperatures;
  for (const auto& [fit, found] : evidence) {
    if (found.images() > 0) temperatures[fit] = found.temperature();
  }
  return temperatures;
}

}  // namespace supn
