#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>

#include "rows.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/network/supn_network.hpp"

namespace supn::bench {
namespace {

constexpr std::int64_t kJacobiSweeps = 1000;
constexpr double kWord = 4.0;

StructuredGaussian predicted(const Measurements& measurements,
                             const Sizes& sizes,
                             PixelOrder order) {
  at::manual_seed(3);
  SupnNetwork network(NetworkConfig{.order = order});
  network->to(measurements.device());
  network->eval();
  const at::Tensor image = at::rand({1, 3, sizes.batch.height, sizes.batch.width});
  return network->forward(image.to(measurements.device())).front();
}

// Read or written once: fields of that many samples, and the maps.
double bytes(const StructuredGaussian& gaussian, double fields, std::int64_t samples) {
  const auto maps = static_cast<double>(gaussian.neighbourhood().size() + 2);
  return kWord * static_cast<double>(gaussian.pixels()) *
         (fields * static_cast<double>(samples) + maps);
}

void measure_order(Measurements& measurements,
                   const Sizes& sizes,
                   const std::string& name,
                   PixelOrder order) {
  const StructuredGaussian gaussian = predicted(measurements, sizes, order);
  const std::vector<std::uint64_t> seeds{1};
  const SampleRange range{0, sizes.samples};
  const std::string count = std::to_string(sizes.samples) + " samples, ";
  measurements.measure({.name = count + name, .bytes = bytes(gaussian, 1, sizes.samples)},
                       [&] { sample(gaussian, seeds, {.range = range}); });
  const at::Tensor noise =
      standard_normal(seeds, range, gaussian.size(), gaussian.mean().options());
  measurements.measure(
      {.name = "solves alone, " + name, .bytes = bytes(gaussian, 2, sizes.samples)},
      [&] { solve_factor_transpose(gaussian, noise); });
  measurements.measure(
      {.name = count + "Jacobi, 1000 sweeps, " + name,
       .repeated = static_cast<double>(kJacobiSweeps) / static_cast<double>(sizes.sweeps),
       .note = "scaled up from " + std::to_string(sizes.sweeps) + " sweeps"},
      [&] { jacobi_solve_factor_transpose(gaussian, noise, sizes.sweeps); });
  measurements.measure(
      {.name = "log_prob of them, " + name, .bytes = bytes(gaussian, 1, sizes.samples)},
      [&] { log_prob(gaussian, noise); });
}

}  // namespace

void measure_sampling(Measurements& measurements, const Sizes& sizes) {
  const at::NoGradGuard no_grad;
  const ImageSize size{sizes.batch.height, sizes.batch.width};
  const at::TensorOptions options = at::TensorOptions(at::kFloat).device(measurements.device());
  const double field =
      kWord * static_cast<double>(sizes.samples) * static_cast<double>(size.height * size.width);
  const at::Tensor source = at::empty({sizes.samples, size.height, size.width}, options).fill_(1.0);
  at::Tensor target = at::empty_like(source);
  measurements.measure({.name = "copy of as many maps", .bytes = 2 * field},
                       [&] { target.copy_(source); });
  const std::vector<std::uint64_t> seeds{1};
  measurements.measure({.name = "noise of as many maps", .bytes = field}, [&] {
    standard_normal(seeds, {0, sizes.samples}, size, options);
  });
  for (const auto& [name, order] : OptionNames<PixelOrder>::values) {
    measure_order(measurements, sizes, std::string(name), order);
  }
}

}  // namespace supn::bench
