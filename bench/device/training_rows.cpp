#include <array>

#include "rows.hpp"
#include "supn/errors.hpp"
#include "supn/training/trainer.hpp"

namespace supn::bench {
namespace {

struct Form {
  const char* name;
  NetworkConfig network;
};

std::array<Form, 3> forms() {
  return {{{"raster, paper", {}},
           {"raster, factored", {.off_diagonal = OffDiagonalForm::kFactored}},
           {"coarse to fine", {.order = PixelOrder::kCoarseToFine}}}};
}

Batch on(const c10::Device& device, Batch batch) {
  batch.image = batch.image.to(device);
  for (at::Tensor& maps : batch.predictions) maps = maps.to(device);
  return batch;
}

}  // namespace

void measure_training(Measurements& measurements,
                      const Sizes& sizes,
                      const std::filesystem::path& twin) {
  for (const Form& form : forms()) {
    for (const auto& [precision_name, precision] : OptionNames<Precision>::values) {
      at::manual_seed(0);
      SupnNetwork network(form.network);
      const Batch batch = made_up_batch(sizes.batch, network->scales());
      const bool is_twins = !twin.empty() && form.network == NetworkConfig{};
      if (is_twins && precision == Precision::kFloat32) save_for_twin(twin, network, batch);
      network->to(measurements.device());
      TrainingConfig config;
      config.optimizer.clip_norm = 0.0;
      config.precision = precision;
      const std::string name =
          std::string("training step, ") + form.name + ", " + std::string(precision_name);
      try {
        Trainer trainer(network, config, 1000);
        const Batch moved = on(measurements.device(), batch);
        const double first = trainer.step(moved).loss;
        measurements.measure({.name = name,
                              .images = static_cast<double>(sizes.batch.images),
                              .note = "first loss " + std::to_string(first)},
                             [&] { trainer.step(moved); });
      } catch (const ConfigError& error) {
        std::printf("%s: left out: %s\n", name.c_str(), error.what());
      }
    }
  }
}

}  // namespace supn::bench
