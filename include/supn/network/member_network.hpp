// A depth network that is a member of an ensemble has an encoder and a mean decoder, and where it
// was trained with one, a head of log-scales. One safetensors file holds its weights and, as
// metadata, its configuration:
//
//   format             "supn-member"
//   backbone           "resnet18" or "compact"
//   log_scale          "yes" or "no"
//   dropout            probability, "0" for none
//   dropout_seed       which features are dropped
//   height, width      that it was trained at, "0" where that is unknown
//
// A file of weights without metadata is taken for what its names say, without dropout.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supn/image_size.hpp"
#include "supn/network/network_config.hpp"

namespace supn {

enum class LogScaleHead { kAbsent, kPresent };

struct MemberConfig {
  Backbone backbone = Backbone::kResnet18;
  LogScaleHead log_scale = LogScaleHead::kAbsent;
  double dropout = 0.0;           // always on, after each convolution of the decoder; resnet18 only
  std::int64_t dropout_seed = 0;  // the same features are dropped in every image
};

struct MemberMaps {
  std::vector<at::Tensor> logits;  // [B,1,h,w] at strides 1, 2, 4, …
  at::Tensor log_scale;            // [B,1,H,W], log of the scale of sigmoids; or undefined
};

struct MemberFile {
  MemberConfig config;
  ImageSize size;  // of the input that it was trained at; 0 = unknown
  std::map<std::string, at::Tensor> tensors;
};

// Atomic. Throws IoError.
void write_member(const std::filesystem::path& path, const MemberFile& file);

// The names that a member of this configuration has, with shapes. Throws ConfigError for dropout
// outside [0, 1) or with the compact backbone.
std::map<std::string, std::vector<std::int64_t>> member_shapes(const MemberConfig& config);

class MemberModule;

class MemberNetwork {
 public:
  // Throws IoError for a file that is missing, damaged, or not a member's.
  MemberNetwork(const std::filesystem::path& file, c10::Device device);

  const MemberConfig& config() const { return config_; }
  // Returns the size that it was trained at; none where the file does not say.
  const std::optional<ImageSize>& trained_size() const { return trained_size_; }
  // image [B,3,H,W] float32 in [0,1], on the network's device. No gradients are recorded. Throws
  // ConfigError for a size that does not fit (check_input_size).
  MemberMaps predict(const at::Tensor& image) const;

 private:
  MemberConfig config_;
  std::optional<ImageSize> trained_size_;
  std::shared_ptr<MemberModule> module_;
};

}  // namespace supn
