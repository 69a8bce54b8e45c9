// Random changes of training examples, each a function of (seed, epoch, index) and nothing else:
// the same for any order of loading and any number of workers.
//
//   image' = clamp(clamp(image · brightness)^gamma · channel gain)   each value clamped to [0,1]
//
// The mirror applies to image, members' maps and depth alike, the colours to the image only.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

#include "supn/data/data_config.hpp"

namespace supn {

enum class Mirror { kNone, kHorizontal };

struct Augmentation {
  Mirror mirror = Mirror::kNone;
  double brightness = 1.0;
  double gamma = 1.0;
  std::array<double, 3> channel_gain = {1.0, 1.0, 1.0};
};

// A draw depends on the run's seed, the epoch and the image's index in its split.
struct DrawKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t index = 0;
};

// Draws uniformly within the configured ranges.
Augmentation draw_augmentation(const DrawKey& key, const AugmentationConfig& config);

// Turns uint8 RGB [H,W,3] into float32 [3,H,W] in [0,1], changed as the augmentation says.
at::Tensor augmented_image(const at::Tensor& rgb, const Augmentation& augmentation);

// Returns float32 [...,W], mirrored along W if the augmentation mirrors; maps itself otherwise.
at::Tensor augmented_maps(const at::Tensor& maps, const Augmentation& augmentation);

}  // namespace supn
