#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>

#include "rows.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/network/supn_network.hpp"

namespace supn::bench {
namespace {

constexpr std::int64_t kMaps = 8;

SupnNetwork network_on(const c10::Device& device, PixelOrder order) {
  SupnNetwork network(NetworkConfig{.order = order});
  network->to(device);
  network->eval();
  return network;
}

}  // namespace

void measure_inference(Measurements& measurements, const Sizes& sizes) {
  const at::NoGradGuard no_grad;
  const auto& [count, members, height, width] = sizes.batch;
  const at::Tensor images = at::rand({count, 3, height, width}).to(measurements.device());
  const std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count), 1);
  for (const auto& [name, order] : OptionNames<PixelOrder>::values) {
    SupnNetwork network = network_on(measurements.device(), order);
    measurements.measure(
        {.name = "mean and 8 samples, " + std::string(name), .images = static_cast<double>(count)},
        [&, kept = seeds] {
          const StructuredGaussian gaussian = network->forward(images).front();
          sample(gaussian, kept, {.range = {0, kMaps}});
        });
  }
  std::vector<SupnNetwork> ensemble;
  for (std::int64_t i = 0; i < kMaps; ++i) {
    ensemble.push_back(network_on(measurements.device(), PixelOrder::kRaster));
  }
  measurements.measure({.name = "eight networks, a map each", .images = static_cast<double>(count)},
                       [&] {
                         for (SupnNetwork& member : ensemble) member->means(images);
                       });
}

}  // namespace supn::bench
