// The network turns an image into a structured Gaussian over its logit map, at several scales.
//
//   SupnNetwork network(NetworkConfig{…});
//   std::vector<StructuredGaussian> scales = network->forward(image);   // finest first
//
// image: [B,3,H,W] in [0,1]; H and W must fit check_input_size(), else ConfigError. Scale s is
// [B,·,H/2ˢ,W/2ˢ]: 4 scales for resnet18, 3 for the others. In the order from coarse to fine the
// finest scale's Gaussian, which holds all scales, is the only one. Densities are over logits of
// disparity. Initial weights come from LibTorch's global generator: seed it (at::manual_seed) for
// reproducibility. See paper section 4, docs/method.md "Network".
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/network/mean_network.hpp"
#include "supn/network/network_config.hpp"
#include "supn/network/supn_decoder.hpp"

namespace supn {

// Says whether a loss on the factor reaches the mean network.
enum class MeanCoupling {
  kJoint,
  kDetached  // the factor is made from detached features, around a detached mean
};

struct NetworkOutput {
  std::vector<StructuredGaussian> gaussians;  // finest scale first
  std::vector<at::Tensor> means;              // [B,1,h,w] at the mean network's scales; attached
  // Holds per scale [B,1,h,w] the local formula for the log of the marginal std (off_diagonal.hpp),
  // for `factored` at radius 2; undefined tensors else.
  std::vector<at::Tensor> local_log_std;
};

class SupnNetworkImpl : public torch::nn::Module {
 public:
  // Throws ConfigError if the configuration contradicts itself.
  explicit SupnNetworkImpl(const NetworkConfig& config);

  std::vector<StructuredGaussian> forward(const at::Tensor& image);
  NetworkOutput predict(const at::Tensor& image, MeanCoupling coupling = MeanCoupling::kJoint);
  // The means alone, [B,1,h,w] per scale; the SUPN decoder is not run.
  std::vector<at::Tensor> means(const at::Tensor& image);
  // forward().front() but for rounding, without the work for other scales.
  StructuredGaussian finest(const at::Tensor& image);

  // For inference alone, once, in evaluation mode: batch norms become part of the convolutions
  // before them, which is exact but for rounding, and weights are laid out channels last, as the
  // images should be too. The network can be neither trained nor saved afterwards.
  void settle();

  const NetworkConfig& config() const { return config_; }
  // Counts the scales of the means.
  std::int64_t scales() const { return mean_->scales(); }
  std::int64_t size_multiple() const { return supn::size_multiple(config_.backbone); }

 private:
  MeanFeatures mean_features(const at::Tensor& image, Scales scales);

  NetworkConfig config_;
  Neighbourhood neighbourhood_;
  std::unique_ptr<MeanNetwork> mean_;
  std::shared_ptr<SupnDecoder> supn_;
};
TORCH_MODULE(SupnNetwork);

// A group holds parameters that an optimizer treats alike: encoder and mean decoder; the SUPN
// decoder; its numbers γ; its heads of few pixels (CoarseToFineHeads).
enum class ParameterGroup { kMean, kSupn, kGamma, kCoarse };
std::vector<at::Tensor> parameters_of(const SupnNetworkImpl& network, ParameterGroup group);

// Parameters and buffers under their full names; the tensors share memory with the network's.
std::map<std::string, at::Tensor> state_of(const SupnNetworkImpl& network);

}  // namespace supn
