// A small mean network without batch norm, logits at strides 1, 2, 4. Names conv1.weight,
// convs.{0..2}.{0,2}.*, decoder.{0..7}.conv.*, decoder.{8..10}.conv3.* (docs/method.md "Parameter
// names"). With skips, a 1x1 convolution skips.{0..2}.weight of the encoder's features at stride
// 2, 4, 8 is added to the decoder's, so that edges need not pass through stride 16.
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>

#include "supn/network/layers.hpp"
#include "supn/network/mean_network.hpp"

namespace supn {

enum class Skips { kNone, kAdded };

class CompactMeanNetwork : public MeanNetwork {
 public:
  explicit CompactMeanNetwork(Skips skips);
  void register_with(torch::nn::Module& owner) override;
  MeanFeatures forward(const at::Tensor& image, Scales scales) override;
  void fold_batch_norms() override {}
  std::int64_t bottleneck_channels() const override { return 192; }
  std::vector<std::int64_t> feature_channels() const override { return {16, 32, 64, 96}; }
  std::int64_t scales() const override { return 3; }

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::ModuleList convs_;
  torch::nn::ModuleList decoder_;
  torch::nn::ModuleList skips_;
  std::vector<torch::nn::Conv2d> stages_;  // two convolutions each
  std::vector<std::shared_ptr<ReflectConv>> ladder_;
  std::vector<torch::nn::Conv2d> heads_;
};

}  // namespace supn
