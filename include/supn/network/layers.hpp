// The small layers that decoders are made of. All keep the resolution; [B,C,H,W] → [B,C',H,W].
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <memory>

namespace supn {

// 3×3 convolution after reflection padding by 1. Parameters conv.weight, conv.bias.
class ReflectConv : public torch::nn::Module {
 public:
  ReflectConv(std::int64_t in_channels, std::int64_t out_channels);
  at::Tensor forward(const at::Tensor& x);
  torch::nn::Conv2d& convolution() { return conv_; }

 private:
  torch::nn::Conv2d conv_;
};

// ReflectConv and ELU. Parameters conv.conv.weight, conv.conv.bias.
class ReflectConvElu : public torch::nn::Module {
 public:
  ReflectConvElu(std::int64_t in_channels, std::int64_t out_channels);
  // common: [1,D,H,W], further input channels that are the same for every image; no gradient.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& common = {});

 private:
  std::shared_ptr<ReflectConv> conv_;
};

// Upsamples by two, each pixel by its nearest neighbour.
at::Tensor upsample_twice(const at::Tensor& x);

// Returns (image − 0.45)/0.225, the encoders' input.
at::Tensor normalise_image(const at::Tensor& image);

// Returns maps of x and y in [−1, 1] of x's size, [1,2,H,W].
at::Tensor coordinate_maps(const at::Tensor& x);

}  // namespace supn
