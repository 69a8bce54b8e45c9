#include "supn/data/augmentation.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

#include "counter_random.hpp"

namespace supn {
namespace {

constexpr std::size_t kGreyLevels = 256;

// Returns what becomes of each grey level of one channel.
std::array<float, kGreyLevels> colour_curve(const Augmentation& augmentation, std::size_t channel) {
  std::array<float, kGreyLevels> curve{};
  for (std::size_t level = 0; level < kGreyLevels; ++level) {
    const double value = static_cast<double>(level) / 255.0;
    const double bright = std::clamp(value * augmentation.brightness, 0.0, 1.0);
    const double changed =
        std::pow(bright, augmentation.gamma) * augmentation.channel_gain[channel];
    curve[level] = static_cast<float>(std::clamp(changed, 0.0, 1.0));
  }
  return curve;
}

}  // namespace

Augmentation draw_augmentation(const DrawKey& key, const AugmentationConfig& config) {
  CounterRandom random({key.seed, key.epoch, RandomPurpose::kAugmentation}, key.index);
  Augmentation augmentation;
  if (random.uniform() < config.flip_probability) augmentation.mirror = Mirror::kHorizontal;
  const auto around_one = [&](double spread) {
    return 1.0 + spread * (2.0 * random.uniform() - 1.0);
  };
  augmentation.brightness = around_one(config.brightness);
  augmentation.gamma = around_one(config.gamma);
  for (double& gain : augmentation.channel_gain) gain = around_one(config.channel_gain);
  return augmentation;
}

// Loops are plain here and below: ATen would start threads of its own in every worker of a loader.
at::Tensor augmented_image(const at::Tensor& rgb, const Augmentation& augmentation) {
  TORCH_CHECK(rgb.dim() == 3 && rgb.size(2) == 3 && rgb.scalar_type() == at::kByte,
              "augmented_image: expected uint8 [H,W,3], got ",
              rgb.scalar_type(),
              " ",
              rgb.sizes());
  const at::Tensor packed = rgb.contiguous();
  const std::int64_t height = packed.size(0);
  const std::int64_t width = packed.size(1);
  at::Tensor image = at::empty({3, height, width}, at::kFloat);
  float* out = image.mutable_data_ptr<float>();
  for (std::size_t c = 0; c < 3; ++c) {
    const std::array<float, kGreyLevels> curve = colour_curve(augmentation, c);
    const std::uint8_t* level = packed.const_data_ptr<std::uint8_t>() + c;
    for (std::int64_t pixel = 0; pixel < height * width; ++pixel, level += 3)
      *out++ = curve[*level];
  }
  return augmented_maps(image, augmentation);
}

at::Tensor augmented_maps(const at::Tensor& maps, const Augmentation& augmentation) {
  TORCH_CHECK(maps.dim() >= 1 && maps.scalar_type() == at::kFloat,
              "augmented_maps: expected float32 [...,W], got ",
              maps.scalar_type(),
              " ",
              maps.sizes());
  if (augmentation.mirror == Mirror::kNone) return maps;
  const at::Tensor packed = maps.contiguous();
  at::Tensor mirrored = at::empty(packed.sizes(), at::kFloat);
  const std::int64_t width = packed.size(-1);
  const float* in = packed.const_data_ptr<float>();
  float* out = mirrored.mutable_data_ptr<float>();
  for (std::int64_t row = 0; row < packed.numel(); row += width) {
    std::reverse_copy(in + row, in + row + width, out + row);
  }
  return mirrored;
}

}  // namespace supn
