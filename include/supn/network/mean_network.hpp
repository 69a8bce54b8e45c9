// The mean network: encoder and mean decoder, from an image to logits at several scales and the
// features that the SUPN decoder builds on. Two kinds (Backbone), one interface.
//
// Their parameters keep the names of the public checkpoints (docs/method.md "Parameter names"),
// which have no common prefix: register_with() puts the modules directly into the owner.
// See docs/method.md "Network".
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "supn/network/network_config.hpp"

namespace supn {

struct MeanFeatures {
  at::Tensor bottleneck;             // coarsest encoder feature
  std::vector<at::Tensor> features;  // the mean decoder's m_0, m_1, …: strides 1, 2, 4, …
  std::vector<at::Tensor> logits;    // [B,1,h,w] at strides 1, 2, 4, …
};

// Whose logits are made.
enum class Scales { kAll, kFinest };

class MeanNetwork {
 public:
  virtual ~MeanNetwork() = default;

  virtual void register_with(torch::nn::Module& owner) = 0;
  // image [B,3,H,W] in [0,1].
  virtual MeanFeatures forward(const at::Tensor& image, Scales scales) = 0;
  // Each batch norm becomes part of the convolution before it (SynchronizedBatchNorm2d::fold_into).
  virtual void fold_batch_norms() = 0;

  virtual std::int64_t bottleneck_channels() const = 0;
  // Returns the numbers of the features' channels, finest first.
  virtual std::vector<std::int64_t> feature_channels() const = 0;
  virtual std::int64_t scales() const = 0;
};

std::unique_ptr<MeanNetwork> make_mean_network(Backbone backbone);

}  // namespace supn
