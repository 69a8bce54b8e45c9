#include "resnet_mean_network.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/max_pool2d.h>
#include <torch/nn/init.h>

#include <array>
#include <string>
#include <utility>

#include "autocast.hpp"

namespace supn {
namespace {

constexpr std::int64_t kLevels = 5;
constexpr std::int64_t kScales = 4;
constexpr std::array<std::int64_t, kLevels> kEncoderChannels{64, 64, 128, 256, 512};
constexpr std::array<std::int64_t, kLevels> kDecoderChannels{16, 32, 64, 128, 256};

torch::nn::Conv2d convolution(std::int64_t in,
                              std::int64_t out,
                              std::int64_t kernel,
                              std::int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

}  // namespace

ResidualBlock::ResidualBlock(std::int64_t in_channels,
                             std::int64_t out_channels,
                             std::int64_t stride)
    : conv1_(register_module("conv1", convolution(in_channels, out_channels, 3, stride))),
      bn1_(register_module("bn1", SynchronizedBatchNorm2d(out_channels))),
      conv2_(register_module("conv2", convolution(out_channels, out_channels, 3, 1))),
      bn2_(register_module("bn2", SynchronizedBatchNorm2d(out_channels))) {
  if (stride == 1 && in_channels == out_channels) return;
  downsample_ = register_module("downsample", torch::nn::ModuleList());
  downsample_->push_back(convolution(in_channels, out_channels, 1, stride));
  downsample_->push_back(SynchronizedBatchNorm2d(out_channels));
}

at::Tensor ResidualBlock::forward(const at::Tensor& x) {
  const at::Tensor y = bn2_->forward(conv2_->forward(bn1_->forward(conv1_->forward(x)).relu_()));
  if (downsample_.is_empty()) return (y + x).relu_();
  const at::Tensor projected = downsample_[0]->as<torch::nn::Conv2d>()->forward(x);
  return (y + downsample_[1]->as<SynchronizedBatchNorm2d>()->forward(projected)).relu_();
}

void ResidualBlock::fold_batch_norms() {
  bn1_->fold_into(*conv1_);
  bn2_->fold_into(*conv2_);
  if (downsample_.is_empty()) return;
  downsample_[1]->as<SynchronizedBatchNorm2d>()->fold_into(
      *downsample_[0]->as<torch::nn::Conv2d>());
}

ResnetEncoder::ResnetEncoder()
    : conv1_(register_module("conv1", convolution(3, 64, 7, 2))),
      bn1_(register_module("bn1", SynchronizedBatchNorm2d(64))) {
  std::int64_t in_channels = 64;
  for (std::size_t i = 1; i < kEncoderChannels.size(); ++i) {
    const std::int64_t out_channels = kEncoderChannels[i];
    auto layer = register_module("layer" + std::to_string(i), torch::nn::ModuleList());
    auto& blocks = layers_.emplace_back();
    blocks.push_back(std::make_shared<ResidualBlock>(in_channels, out_channels, i == 1 ? 1 : 2));
    blocks.push_back(std::make_shared<ResidualBlock>(out_channels, out_channels, 1));
    for (const auto& block : blocks) layer->push_back(block);
    in_channels = out_channels;
  }
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* conv = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::kaiming_normal_(conv->weight, 0.0, torch::kFanOut, torch::kReLU);
    }
  }
}

std::vector<at::Tensor> ResnetEncoder::forward(const at::Tensor& image) {
  std::vector<at::Tensor> features{bn1_->forward(conv1_->forward(normalise_image(image))).relu_()};
  at::Tensor x = at::max_pool2d(features.front(), {3, 3}, {2, 2}, {1, 1});
  for (const auto& blocks : layers_) {
    for (const auto& block : blocks) x = block->forward(x);
    features.push_back(x);
  }
  return features;
}

void ResnetEncoder::fold_batch_norms() {
  bn1_->fold_into(*conv1_);
  for (const auto& blocks : layers_) {
    for (const auto& block : blocks) block->fold_batch_norms();
  }
}

ResnetMeanDecoder::ResnetMeanDecoder() {
  const auto add = [this](auto module) {
    register_module(std::to_string(convolutions_.size() + heads_.size()), module);
    return module;
  };
  for (std::int64_t level = kLevels - 1; level >= 0; --level) {
    const auto i = static_cast<std::size_t>(level);
    const std::int64_t channels = kDecoderChannels[i];
    const std::int64_t in =
        i + 1 == kDecoderChannels.size() ? kEncoderChannels[i] : kDecoderChannels[i + 1];
    const std::int64_t skip = i > 0 ? kEncoderChannels[i - 1] : 0;
    convolutions_.push_back(add(std::make_shared<ReflectConvElu>(in, channels)));
    convolutions_.push_back(add(std::make_shared<ReflectConvElu>(channels + skip, channels)));
  }
  for (std::size_t scale = 0; scale < kScales; ++scale) {
    heads_.push_back(add(std::make_shared<ReflectConv>(kDecoderChannels[scale], 1)));
  }
}

MeanFeatures ResnetMeanDecoder::forward(const std::vector<at::Tensor>& encoder_features,
                                        const FeatureDropout& dropout,
                                        Scales scales) {
  MeanFeatures result{encoder_features.back(), std::vector<at::Tensor>(kLevels), {}};
  at::Tensor x = encoder_features.back();
  std::size_t next = 0;
  for (std::size_t i = kLevels; i-- > 0;) {
    x = upsample_twice(dropout.apply(convolutions_[next]->forward(x), next));
    ++next;
    if (i > 0) x = at::cat({x, encoder_features[i - 1]}, 1);
    x = dropout.apply(convolutions_[next]->forward(x), next);
    ++next;
    result.features[i] = x;
  }
  const WithoutAutocast in_own_dtype;
  for (std::size_t scale = 0; scale < (scales == Scales::kAll ? heads_.size() : 1); ++scale) {
    result.logits.push_back(heads_[scale]->forward(in_float32(result.features[scale])));
  }
  return result;
}

ResnetMeanNetwork::ResnetMeanNetwork(FeatureDropout dropout)
    : encoder_(std::make_shared<ResnetEncoder>()),
      decoder_(std::make_shared<ResnetMeanDecoder>()),
      dropout_(std::move(dropout)) {}

void ResnetMeanNetwork::register_with(torch::nn::Module& owner) {
  owner.register_module("encoder", encoder_);
  owner.register_module("decoder", decoder_);
}

MeanFeatures ResnetMeanNetwork::forward(const at::Tensor& image, Scales scales) {
  return decoder_->forward(encoder_->forward(image), dropout_, scales);
}

}  // namespace supn
