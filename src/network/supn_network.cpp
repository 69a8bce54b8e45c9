#include "supn/network/supn_network.hpp"

#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>

#include <string_view>

#include "elu.hpp"

namespace supn {
namespace {

const NetworkConfig& checked(const NetworkConfig& config) {
  check_network_config(config);
  return config;
}

MeanFeatures detached(MeanFeatures mean) {
  mean.bottleneck = mean.bottleneck.detach();
  for (at::Tensor& feature : mean.features) feature = feature.detach();
  for (at::Tensor& logits : mean.logits) logits = logits.detach();
  return mean;
}

ParameterGroup group_of(std::string_view name) {
  constexpr std::string_view kOfHeads = "supn.heads.";
  if (!name.starts_with("supn.")) return ParameterGroup::kMean;
  if (name.ends_with(".gamma")) return ParameterGroup::kGamma;
  const bool is_coarse =
      name.starts_with(kOfHeads) && CoarseToFineHeads::is_coarse(name.substr(kOfHeads.size()));
  return is_coarse ? ParameterGroup::kCoarse : ParameterGroup::kSupn;
}

}  // namespace

SupnNetworkImpl::SupnNetworkImpl(const NetworkConfig& config)
    : config_(checked(config)),
      neighbourhood_(neighbourhood_of(config)),
      mean_(make_mean_network(config.backbone)) {
  mean_->register_with(*this);
  supn_ = register_module("supn", std::make_shared<SupnDecoder>(*mean_, config_));
}

MeanFeatures SupnNetworkImpl::mean_features(const at::Tensor& image, Scales scales) {
  TORCH_CHECK(image.dim() == 4 && image.size(1) == 3,
              "SupnNetwork: image must be [B,3,H,W], got ",
              image.sizes());
  check_input_size(config_.backbone, {image.size(2), image.size(3)});
  return mean_->forward(image, scales);
}

NetworkOutput SupnNetworkImpl::predict(const at::Tensor& image, MeanCoupling coupling) {
  MeanFeatures mean = mean_features(image, Scales::kAll);
  NetworkOutput output;
  output.means = mean.logits;
  if (coupling == MeanCoupling::kDetached) mean = detached(mean);
  const std::vector<FactorPrediction> factors = supn_->forward(mean);
  for (std::size_t scale = 0; scale < factors.size(); ++scale) {
    output.gaussians.emplace_back(mean.logits[scale],
                                  factors[scale].log_diagonal,
                                  factors[scale].off_diagonal,
                                  neighbourhood_);
    output.local_log_std.push_back(factors[scale].local_log_std);
  }
  return output;
}

std::vector<StructuredGaussian> SupnNetworkImpl::forward(const at::Tensor& image) {
  return predict(image).gaussians;
}

std::vector<at::Tensor> SupnNetworkImpl::means(const at::Tensor& image) {
  return mean_features(image, Scales::kAll).logits;
}

StructuredGaussian SupnNetworkImpl::finest(const at::Tensor& image) {
  const FastElu fast;
  const MeanFeatures mean = mean_features(image, Scales::kFinest);
  const FactorPrediction factor = supn_->forward(mean).front();
  return {mean.logits.front(), factor.log_diagonal, factor.off_diagonal, neighbourhood_};
}

void SupnNetworkImpl::settle() {
  TORCH_CHECK(!is_training(), "SupnNetwork::settle: expected a network in evaluation mode");
  const at::NoGradGuard no_grad;
  mean_->fold_batch_norms();
  for (at::Tensor& parameter : parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

std::vector<at::Tensor> parameters_of(const SupnNetworkImpl& network, ParameterGroup group) {
  std::vector<at::Tensor> parameters;
  for (const auto& item : network.named_parameters()) {
    if (group_of(item.key()) == group) parameters.push_back(item.value());
  }
  return parameters;
}

std::map<std::string, at::Tensor> state_of(const SupnNetworkImpl& network) {
  std::map<std::string, at::Tensor> state;
  for (const auto& item : network.named_parameters()) state.emplace(item.key(), item.value());
  for (const auto& item : network.named_buffers()) state.emplace(item.key(), item.value());
  return state;
}

}  // namespace supn
