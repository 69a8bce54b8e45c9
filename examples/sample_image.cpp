// Draws depth maps of an image: sample_image [CHECKPOINT IMAGE OUT.npy]
// Without arguments the network is an untrained one, the image grey, and nothing is written.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>

#include <cstdio>
#include <vector>

#include "supn/gaussian/sample.hpp"
#include "supn/io/image.hpp"
#include "supn/io/resize.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/npy.hpp"

namespace {

supn::LoadedNetwork untrained() {
  supn::NetworkConfig config;
  config.backbone = supn::Backbone::kCompact;
  config.order = supn::PixelOrder::kCoarseToFine;
  supn::SupnNetwork network(config);
  network->eval();
  return {network, {64, 96}};
}

// [1,3,H,W] in [0,1].
at::Tensor network_input(const char* file, const supn::ImageSize& size) {
  const at::Tensor rgb = supn::resize_lanczos(supn::read_rgb(file), size);  // uint8 [H,W,3]
  return rgb.permute({2, 0, 1}).unsqueeze(0).to(at::kFloat).div(255);
}

}  // namespace

int main(int argc, char** argv) {
  const at::NoGradGuard no_grad;
  supn::LoadedNetwork loaded = argc > 1 ? supn::load_network(argv[1]) : untrained();
  const supn::ImageSize size = loaded.input_size;
  const at::Tensor image =
      argc > 2 ? network_input(argv[2], size) : at::full({1, 3, size.height, size.width}, 0.5);

  const supn::StructuredGaussian gaussian = loaded.network->forward(image).front();
  const std::vector<std::uint64_t> seeds{1};  // one per image
  const at::Tensor logits = supn::sample(gaussian, seeds, {.range = {0, 8}}).values;  // [1,8,H,W]
  std::printf("8 samples of %ld x %ld logits, mean %.3f, std %.3f\n",
              static_cast<long>(logits.size(2)),
              static_cast<long>(logits.size(3)),
              logits.mean().item<double>(),
              logits.std(1).mean().item<double>());
  if (argc > 3) supn::write_npy(argv[3], logits[0]);
}
