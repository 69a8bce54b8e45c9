// Networks, images and targets filled by formula, so that golden values need no stored weights.
// All integer arithmetic is modulo 2^64; the golden data's page defines the formula.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "supn/network/supn_network.hpp"

namespace supn::test {

inline std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t i) {
  std::uint64_t z = hash + (i + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
  return z ^ (z >> 31U);
}

inline double unit(std::uint64_t hash, std::uint64_t i) {
  return static_cast<double>(mix(hash, i) >> 40U) * 0x1p-24;
}

inline double parameter_value(const std::string& name, const at::Tensor& tensor, double v) {
  if (name.ends_with("running_var")) return 0.5 + v;
  if (name.ends_with("running_mean") || name.ends_with("bias")) return 0.2 * v - 0.1;
  if (name.ends_with("gamma")) return -1.5 + 0.5 * v;
  if (tensor.dim() == 1) return 0.4 + 0.4 * v;
  const double gain = name.starts_with("encoder.") ? 6.0 : 3.0;
  const double fan_in = static_cast<double>(tensor.numel() / tensor.size(0));
  return (2.0 * v - 1.0) * std::sqrt(gain / fan_in);
}

// Values rounded to float32 whatever the network's dtype.
inline void fill_by_formula(SupnNetworkImpl& network) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state_of(network)) {
    if (name.ends_with("num_batches_tracked")) continue;
    at::Tensor values = at::empty(tensor.sizes(), at::TensorOptions(at::kFloat));
    float* data = values.mutable_data_ptr<float>();
    const std::uint64_t hash = name_hash(name);
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      data[i] = static_cast<float>(
          parameter_value(name, tensor, unit(hash, static_cast<std::uint64_t>(i))));
    }
    at::Tensor(tensor).copy_(values);
  }
}

// float32 [1,3,H,W].
inline at::Tensor formula_image(const std::string& name, std::int64_t height, std::int64_t width) {
  const std::uint64_t blocks = name_hash(name + ".block");
  const std::uint64_t pixels = name_hash(name);
  const std::int64_t block_rows = (height + 7) / 8;
  const std::int64_t block_columns = (width + 7) / 8;
  at::Tensor image = at::empty({1, 3, height, width}, at::TensorOptions(at::kFloat));
  float* data = image.mutable_data_ptr<float>();
  for (std::int64_t c = 0; c < 3; ++c) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const std::int64_t block = (c * block_rows + y / 8) * block_columns + x / 8;
        const std::int64_t pixel = (c * height + y) * width + x;
        const std::uint64_t level = (mix(blocks, static_cast<std::uint64_t>(block)) >> 57U) +
                                    (mix(pixels, static_cast<std::uint64_t>(pixel)) >> 57U);
        data[pixel] = static_cast<float>(static_cast<double>(level) / 255.0);
      }
    }
  }
  return image;
}

// Members' logits of one image, float32 [1,members,64,96].
inline at::Tensor formula_targets(std::int64_t image, std::int64_t members) {
  at::Tensor targets = at::empty({1, members, 64, 96}, at::TensorOptions(at::kFloat));
  float* data = targets.mutable_data_ptr<float>();
  for (std::int64_t k = 0; k < members; ++k) {
    const std::string name = "target" + std::to_string(image) + "." + std::to_string(k);
    const std::uint64_t blocks = name_hash(name + ".block");
    const std::uint64_t pixels = name_hash(name);
    for (std::int64_t y = 0; y < 64; ++y) {
      for (std::int64_t x = 0; x < 96; ++x) {
        const auto block = static_cast<std::uint64_t>((y / 16) * 6 + x / 16);
        const auto pixel = static_cast<std::uint64_t>(y * 96 + x);
        data[(k * 64 + y) * 96 + x] =
            static_cast<float>(-1.0 + unit(blocks, block) + 0.1 * unit(pixels, pixel));
      }
    }
  }
  return targets;
}

}  // namespace supn::test
