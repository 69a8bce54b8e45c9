// A training loop of one's own: the network, the likelihood and an optimizer of LibTorch.
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <torch/optim/adam.h>

#include <cstdio>

#include "supn/gaussian/likelihood.hpp"
#include "supn/network/supn_network.hpp"

int main() {
  at::manual_seed(1);
  supn::NetworkConfig config;
  config.backbone = supn::Backbone::kCompact;
  config.order = supn::PixelOrder::kCoarseToFine;
  supn::SupnNetwork network(config);
  torch::optim::Adam optimizer(network->parameters(), torch::optim::AdamOptions(1e-3));

  // Images [B,3,H,W] in [0,1] and members' maps [B,S,H,W] in logits: yours come from files.
  const at::Tensor images = at::rand({2, 3, 64, 96});
  const at::Tensor members = at::randn({2, 8, 1, 1}).mul(0.1).add(images.mean(1, true));

  const auto pixels = static_cast<double>(64 * 96);
  double first = 0.0;
  double last = 0.0;
  for (int step = 0; step < 20; ++step) {
    optimizer.zero_grad();
    const supn::StructuredGaussian gaussian = network->forward(images).front();
    const at::Tensor loss = supn::log_prob(gaussian, members).mean().div(-pixels);
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
    if (step == 0) first = last;
    if (step % 5 == 4) std::printf("step %2d: %.4f nats a pixel\n", step + 1, last);
  }
  return last < first ? 0 : 1;
}
