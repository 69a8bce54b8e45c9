#include "eval/fit_temperature.hpp"

#include <c10/core/InferenceMode.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <cstdint>

#include "common/progress.hpp"
#include "eval/evaluated_models.hpp"
#include "supn/data/dataset.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/threads.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn {
namespace {

// Means over the images of a split, which all have the same number of pixels and members.
struct MemberMeans {
  double squares = 0.0;         // z²
  double log_likelihood = 0.0;  // nats per pixel and member
  std::int64_t images = 0;
};

MemberMeans member_means(CheckpointModel& model, const KittiDataset& dataset) {
  Progress progress("temperature", dataset.size());
  MemberMeans means;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const Example example = dataset.example(i, Augmentation());
    const StructuredGaussian gaussian = model.predict(example.image).to(at::kDouble);
    const at::Tensor members = example.predictions.front().unsqueeze(0).to(at::kDouble);
    const at::Tensor z = whiten(gaussian, members);
    const at::Tensor nats = log_prob(gaussian, members);
    const ThreadCount one_order_of_sums(1);
    means.squares += z.square().mean().item<double>();
    means.log_likelihood += nats.sum().item<double>() / static_cast<double>(members.numel());
    ++means.images;
    progress.advance();
  }
  progress.finish();
  means.squares /= static_cast<double>(means.images);
  means.log_likelihood /= static_cast<double>(means.images);
  return means;
}

Temperature fitted(CheckpointModel& model, const KittiDataset& dataset) {
  const MemberMeans means = member_means(model, dataset);
  if (!std::isfinite(means.squares) || means.squares <= 0.0) {
    throw ConfigError(model.name() + ": the whitened members' mean square is " +
                      std::to_string(means.squares) +
                      ", so no temperature fits; the checkpoint's factors are not finite");
  }
  // A temperature that the checkpoint has already was applied: take it out again. Per pixel,
  // log p(τ) = −½ mean z²/τ² − log τ + what does not hang on τ.
  const double before = model.temperature() ? model.temperature()->value : 1.0;
  const double squares = means.squares * before * before;
  const double at_one = means.log_likelihood + std::log(before) + 0.5 * (means.squares - squares);
  const double temperature = std::sqrt(squares);
  return {.value = temperature,
          .fitted_on = split_file(dataset.config(), Split::kVal).filename().string(),
          .images = means.images,
          .log_likelihood_before = at_one,
          .log_likelihood_after = at_one + 0.5 * (squares - 1.0) - std::log(temperature)};
}

}  // namespace

void fit_temperatures(const std::vector<std::string>& checkpoints,
                      const Config& config,
                      c10::Device device) {
  if (checkpoints.empty()) throw ConfigError("--fit-temperature: give --checkpoint DIR");
  if (config.data.samples.empty()) {
    throw ConfigError(
        "--fit-temperature: data.samples is not set; the temperature is that of the "
        "members' likelihood");
  }
  const c10::InferenceMode no_gradients;
  const KittiDataset dataset(config.data, Split::kVal, {.scales = 1});
  for (const std::string& checkpoint : checkpoints) {
    CheckpointModel model(checkpoint, config.data, device);
    const Temperature temperature = fitted(model, dataset);
    write_temperature(model.directory(), temperature);
    spdlog::info("{}: temperature {:.4g}, LL on {} {:.4f} in place of {:.4f} nats/pixel/member",
                 model.name(),
                 temperature.value,
                 temperature.fitted_on,
                 temperature.log_likelihood_after,
                 temperature.log_likelihood_before);
  }
}

}  // namespace supn
