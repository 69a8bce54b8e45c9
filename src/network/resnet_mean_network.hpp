// ResNet18 encoder and U-Net mean decoder: strides 2…32 with 64, 64, 128, 256, 512 channels, ladder
// 256, 128, 64, 32, 16, logits at strides 1, 2, 4, 8. Names encoder.*, decoder.{0..13}.*.
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>

#include "feature_dropout.hpp"
#include "supn/network/batch_norm.hpp"
#include "supn/network/layers.hpp"
#include "supn/network/mean_network.hpp"

namespace supn {

// Two 3×3 convolutions with batch norm around an identity or a 1×1 projection.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t in_channels, std::int64_t out_channels, std::int64_t stride);
  at::Tensor forward(const at::Tensor& x);
  void fold_batch_norms();

 private:
  torch::nn::Conv2d conv1_;
  SynchronizedBatchNorm2d bn1_;
  torch::nn::Conv2d conv2_;
  SynchronizedBatchNorm2d bn2_;
  torch::nn::ModuleList downsample_{nullptr};
};

class ResnetEncoder : public torch::nn::Module {
 public:
  ResnetEncoder();
  // Returns features at strides 2, 4, 8, 16, 32.
  std::vector<at::Tensor> forward(const at::Tensor& image);
  void fold_batch_norms();

 private:
  torch::nn::Conv2d conv1_;
  SynchronizedBatchNorm2d bn1_;
  std::vector<std::vector<std::shared_ptr<ResidualBlock>>> layers_;
};

class ResnetMeanDecoder : public torch::nn::Module {
 public:
  ResnetMeanDecoder();
  MeanFeatures forward(const std::vector<at::Tensor>& encoder_features,
                       const FeatureDropout& dropout,
                       Scales scales);

 private:
  std::vector<std::shared_ptr<ReflectConvElu>> convolutions_;
  std::vector<std::shared_ptr<ReflectConv>> heads_;
};

class ResnetMeanNetwork : public MeanNetwork {
 public:
  // dropout comes after every convolution of the decoder but the heads.
  explicit ResnetMeanNetwork(FeatureDropout dropout = FeatureDropout());
  void register_with(torch::nn::Module& owner) override;
  MeanFeatures forward(const at::Tensor& image, Scales scales) override;
  void fold_batch_norms() override { encoder_->fold_batch_norms(); }
  std::int64_t bottleneck_channels() const override { return 512; }
  std::vector<std::int64_t> feature_channels() const override { return {16, 32, 64, 128, 256}; }
  std::int64_t scales() const override { return 4; }

 private:
  std::shared_ptr<ResnetEncoder> encoder_;
  std::shared_ptr<ResnetMeanDecoder> decoder_;
  FeatureDropout dropout_;
};

}  // namespace supn
