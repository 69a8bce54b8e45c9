// A batch of random scenes at 64x64 whose members spread smoothly around a mean that the image
// shows.
#pragma once

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/upsample_bilinear2d.h>

#include <cstdint>
#include <string>
#include <vector>

#include "supn/data/batch.hpp"

namespace supn::testing_data {

constexpr std::int64_t kHeight = 64;
constexpr std::int64_t kWidth = 64;

inline at::Tensor smooth_field(std::int64_t batch, std::int64_t channels) {
  const at::Tensor coarse = at::randn({batch, channels, kHeight / 8, kWidth / 8});
  return at::upsample_bilinear2d(coarse, {kHeight, kWidth}, /*align_corners=*/true);
}

inline Batch tiny_batch(std::uint64_t seed, std::int64_t images = 2, std::int64_t scales = 3) {
  at::manual_seed(seed);
  Batch batch;
  batch.image = (smooth_field(images, 3) * 0.2 + 0.5).clamp(0.0, 1.0);
  const at::Tensor mean = batch.image.mean(1, /*keepdim=*/true) * 2.0 - 2.0;
  const at::Tensor members = mean + smooth_field(images, 4) * 0.1;
  for (std::int64_t scale = 0; scale < scales; ++scale) {
    const std::int64_t block = std::int64_t{1} << scale;
    batch.predictions.push_back(scale == 0 ? members : at::avg_pool2d(members, block));
  }
  for (std::int64_t b = 0; b < images; ++b) {
    batch.names.push_back("scene_" + std::to_string(seed) + "_" + std::to_string(b));
  }
  batch.depth_m.resize(static_cast<std::size_t>(images));
  return batch;
}

}  // namespace supn::testing_data
