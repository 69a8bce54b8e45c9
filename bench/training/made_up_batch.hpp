// A batch of random numbers to train on, and the files that PyTorch's twin (eager_step.py) reads.
#pragma once

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "supn/data/batch.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/serialization/npy.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn::bench {

struct BatchShape {
  std::int64_t images = 2;
  std::int64_t members = 8;
  std::int64_t height = 192;
  std::int64_t width = 640;
};

inline Batch made_up_batch(const BatchShape& shape, std::int64_t scales) {
  at::manual_seed(1);
  Batch batch;
  batch.image = at::rand({shape.images, 3, shape.height, shape.width});
  const at::Tensor finest =
      at::randn({shape.images, shape.members, shape.height, shape.width}) * 0.3;
  for (std::int64_t scale = 0; scale < scales; ++scale) {
    batch.predictions.push_back(scale == 0 ? finest
                                           : at::avg_pool2d(finest, std::int64_t{1} << scale));
  }
  for (std::int64_t b = 0; b < shape.images; ++b) {
    batch.names.push_back("image " + std::to_string(b));
  }
  batch.depth_m.resize(static_cast<std::size_t>(shape.images));
  return batch;
}

// model.safetensors, image.npy and logit_<scale>.npy.
inline void save_for_twin(const std::filesystem::path& folder,
                          const SupnNetwork& network,
                          const Batch& batch) {
  std::filesystem::create_directories(folder);
  write_safetensors(folder / "model.safetensors", {.tensors = state_of(*network), .metadata = {}});
  write_npy(folder / "image.npy", batch.image);
  for (std::size_t scale = 0; scale < batch.predictions.size(); ++scale) {
    write_npy(folder / ("logit_" + std::to_string(scale) + ".npy"), batch.predictions[scale]);
  }
}

}  // namespace supn::bench
