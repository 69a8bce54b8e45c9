// One member of an ensemble is a function from images to logit maps: a TorchScript file, or weights
// that supn_import wrote (.safetensors), which run without TorchScript.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "supn/ensemble/ensemble_config.hpp"
#include "supn/image_size.hpp"

namespace torch::jit {
struct Module;
}

namespace supn {

struct MemberOutput {
  std::vector<at::Tensor> logits;  // per scale, finest first: [B,1,h,w] float32 on the CPU
  at::Tensor log_scale;      // [B,1,H,W] float32 on the CPU as the member gives it, or undefined
  std::int64_t clamped = 0;  // saturated values (to_logits)
};

class MemberNetwork;

class Member {
 public:
  // A file of weights gives logits whatever config.quantity says, at strides 1, 2, 4, … as outputs
  // 0, 1, 2, …, and its log-scale, where it has one, as log_scale_0. Throws IoError for a file that
  // is missing, no TorchScript module, or not a member's weights.
  Member(const std::filesystem::path& file, const EnsembleConfig& config, at::Device device);

  // image: [B,3,H,W] float32, RGB in [0,1], on any device. No graph is recorded. Throws IoError
  // naming the file where the module fails on such an input, outputs something else than a tensor,
  // list, tuple or dict of [B,1,h,w] or [B,h,w] floating-point maps, or lacks a key (its keys are
  // listed); where a value is NaN; where a scale is larger than the one before.
  MemberOutput predict(const at::Tensor& image) const;

  // Lays the convolutions of a TorchScript module on the CPU out channels last, which makes them a
  // fifth faster, if it then predicts the same of `image` but for rounding; some modules don't run
  // so. Gives what it predicts. Throws as predict().
  MemberOutput settle_layout(const at::Tensor& image);

  const std::filesystem::path& file() const { return file_; }
  // Returns the size of the images that the member was trained on, as far as its file says.
  std::optional<ImageSize> trained_size() const;

 private:
  c10::IValue run_module(const at::Tensor& image) const;
  c10::IValue run_network(const at::Tensor& image) const;
  void lay_out(at::MemoryFormat format);

  std::filesystem::path file_;
  EnsembleConfig config_;
  at::Device device_;
  at::MemoryFormat layout_ = at::MemoryFormat::Contiguous;  // of the module
  std::shared_ptr<torch::jit::Module> module_;              // one of these two
  std::shared_ptr<const MemberNetwork> network_;
};

}  // namespace supn
