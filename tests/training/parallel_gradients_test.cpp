// Processes that share a batch have the gradients of one with the whole batch. In float64, where
// rounding cannot hide a fault of the method: in float32 the ReLUs and maxima of a deep encoder
// turn differences of the last bit into some of 1e-3 in single gradients.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <thread>

#include "network/sum_exchange.hpp"
#include "supn/training/losses.hpp"
#include "training/tiny_batch.hpp"
#include "training/trainer_fixture.hpp"

namespace supn {
namespace {

using Gradients = std::map<std::string, at::Tensor>;

SupnNetwork initial_network(at::ScalarType dtype) {
  SupnNetwork network = testing_data::resnet_network();
  network->to(dtype);
  network->train();
  return network;
}

Gradients gradients(SupnNetwork network,
                    const Batch& batch,
                    std::int64_t first,
                    std::int64_t count) {
  const at::ScalarType dtype = network->parameters().front().scalar_type();
  std::vector<at::Tensor> predictions;
  for (const at::Tensor& of_scale : batch.predictions) {
    predictions.push_back(of_scale.narrow(0, first, count).to(dtype));
  }
  const auto gaussians = network->forward(batch.image.narrow(0, first, count).to(dtype));
  ensemble_nll(gaussians, predictions).total.backward();
  Gradients found;
  for (const auto& item : network->named_parameters()) found[item.key()] = item.value().grad();
  return found;
}

// The mean over two parts of the batch, as processes with half of it each average theirs.
Gradients shared_gradients(const Batch& batch, at::ScalarType dtype) {
  const std::int64_t half = batch.image.size(0) / 2;
  SumExchange exchange;
  std::array<SupnNetwork, 2> networks{initial_network(dtype), initial_network(dtype)};
  std::array<Gradients, 2> parts;
  {
    std::vector<std::jthread> processes;
    for (std::size_t i = 0; i < networks.size(); ++i) {
      synchronize_batch_norm(*networks[i], exchange.of(i));
      processes.emplace_back([&, i] {
        parts[i] = gradients(networks[i], batch, static_cast<std::int64_t>(i) * half, half);
      });
    }
  }
  Gradients mean;
  for (const auto& [name, gradient] : parts[0]) mean[name] = (gradient + parts[1].at(name)) / 2.0;
  return mean;
}

// The largest difference of an element, relative to the tensor's root mean square.
double largest_difference(const Gradients& found, const Gradients& expected) {
  double largest = 0.0;
  for (const auto& [name, gradient] : expected) {
    const double scale = gradient.to(at::kDouble).square().mean().sqrt().item<double>();
    EXPECT_GT(scale, 0.0) << name;
    const at::Tensor difference = found.at(name).to(at::kDouble) - gradient.to(at::kDouble);
    largest = std::max(largest, difference.abs().max().item<double>() / scale);
  }
  return largest;
}

TEST(ParallelGradients, OfHalvesOfABatchAreThoseOfTheWhole) {
  const Batch batch = testing_data::tiny_batch(3, /*images=*/4, /*scales=*/4);

  const Gradients whole = gradients(initial_network(at::kDouble), batch, 0, 4);
  const Gradients shared = shared_gradients(batch, at::kDouble);

  const double difference = largest_difference(shared, whole);
  EXPECT_LT(difference, 1e-9);
  RecordProperty("difference_float64", (std::ostringstream() << difference).str());
  const double rounding = largest_difference(shared_gradients(batch, at::kFloat),
                                             gradients(initial_network(at::kFloat), batch, 0, 4));
  EXPECT_GT(rounding, 1e3 * difference) << "float32 should be what differs";
  RecordProperty("difference_float32", (std::ostringstream() << rounding).str());
}

}  // namespace
}  // namespace supn
