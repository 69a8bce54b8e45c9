#include "supn/network/supn_decoder.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logaddexp.h>
#include <torch/nn/modules/container/modulelist.h>

#include <algorithm>

#include "autocast.hpp"
#include "supn/network/off_diagonal.hpp"

namespace supn {
namespace {

constexpr double kStartingLowerBound = -4.0;  // b, the floor of φ
// Features of strides 1 … 16: of both backbones, resnet18's bottleneck is coarser still.
constexpr std::size_t kCoarseToFineLevels = 5;

}  // namespace

SupnBlock::SupnBlock(std::int64_t channels, const NetworkConfig& config)
    : form_(config.off_diagonal), neighbourhood_(config.neighbourhood_radius) {
  pre_ = register_module("pre", std::make_shared<ReflectConvElu>(channels, channels));
  diag_ = register_module("diag", std::make_shared<ReflectConv>(channels, 1));
  const at::NoGradGuard no_grad;
  const std::int64_t maps = raw_map_count(form_, neighbourhood_);
  if (maps > 0) {
    off_ = register_module("off", std::make_shared<ReflectConv>(channels, maps));
    set_starting_bias(form_, neighbourhood_, off_->convolution()->bias);
  }
  if (config.diagonal_scaling) {
    ab_ = register_module("ab", torch::nn::Linear(channels, 2));
    ab_->weight.zero_();
    ab_->bias[0] = 0.0;
    ab_->bias[1] = kStartingLowerBound;
  }
  if (maps > 0 && has_gamma(form_)) {
    gamma_ = register_parameter("gamma", at::full({maps}, starting_gamma(form_), at::kFloat));
  }
}

at::Tensor SupnBlock::log_diagonal(const at::Tensor& feature) {
  const at::Tensor raw = diag_->forward(feature);
  if (ab_.is_empty()) return raw;
  const at::Tensor scaling = ab_->forward(feature.mean({2, 3}));
  const auto per_image = [&](std::int64_t i) {
    return scaling.narrow(1, i, 1).view({-1, 1, 1, 1});
  };
  return at::logaddexp(raw + per_image(0), per_image(1));
}

FactorPrediction SupnBlock::forward(const at::Tensor& input) {
  const at::Tensor feature = pre_->forward(input);
  FactorPrediction result;
  result.log_diagonal = log_diagonal(feature);
  if (off_ == nullptr) {
    result.off_diagonal = feature.narrow(1, 0, 0);
    return result;
  }
  const at::Tensor raw = off_->forward(feature);
  if (gamma_.defined()) {
    const at::Tensor scaled = raw.tanh() * gamma_.exp().view({1, -1, 1, 1});
    result.off_diagonal =
        form_ == OffDiagonalForm::kRelative ? result.log_diagonal.exp() * scaled : scaled;
    return result;
  }
  result.off_diagonal = off_diagonal_maps(form_, raw, result.log_diagonal, neighbourhood_);
  if (form_ == OffDiagonalForm::kFactored && neighbourhood_.radius() == 2) {
    result.local_log_std = supn::local_log_std(factor_coefficients(raw), result.log_diagonal);
  }
  return result;
}

SupnDecoder::SupnDecoder(const MeanNetwork& mean, const NetworkConfig& config)
    : coordinate_maps_(config.coordinate_maps) {
  auto up0 = register_module("up0", torch::nn::ModuleList());
  auto up1 = register_module("up1", torch::nn::ModuleList());
  const std::vector<std::int64_t> channels = mean.feature_channels();
  const std::int64_t coordinates = coordinate_maps_ ? 2 : 0;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::int64_t in = i + 1 == channels.size() ? mean.bottleneck_channels() : channels[i + 1];
    before_.push_back(std::make_shared<ReflectConvElu>(in + coordinates, channels[i]));
    after_.push_back(std::make_shared<ReflectConvElu>(2 * channels[i] + coordinates, channels[i]));
    up0->push_back(before_.back());
    up1->push_back(after_.back());
  }
  add_heads(mean, config);
}

void SupnDecoder::add_heads(const MeanNetwork& mean, const NetworkConfig& config) {
  std::vector<std::int64_t> channels = mean.feature_channels();
  if (config.order == PixelOrder::kCoarseToFine) {
    channels.push_back(mean.bottleneck_channels());
    channels.resize(kCoarseToFineLevels);
    heads_ = register_module("heads", std::make_shared<CoarseToFineHeads>(channels, config));
    return;
  }
  auto block = register_module("block", torch::nn::ModuleList());
  for (std::int64_t scale = 0; scale < mean.scales(); ++scale) {
    blocks_.push_back(
        std::make_shared<SupnBlock>(channels[static_cast<std::size_t>(scale)], config));
    block->push_back(blocks_.back());
  }
}

at::Tensor SupnDecoder::coordinates_of(const at::Tensor& x) const {
  return coordinate_maps_ ? coordinate_maps(x) : at::Tensor();
}

std::vector<at::Tensor> SupnDecoder::ladder(const MeanFeatures& mean) {
  std::vector<at::Tensor> features(before_.size());
  features.push_back(mean.bottleneck);
  for (std::size_t i = before_.size(); i-- > 0;) {
    const at::Tensor& below = features[i + 1];
    const at::Tensor x = upsample_twice(before_[i]->forward(below, coordinates_of(below)));
    features[i] = after_[i]->forward(at::cat({x, mean.features[i]}, 1), coordinates_of(x));
  }
  return features;
}

std::vector<FactorPrediction> SupnDecoder::forward(const MeanFeatures& mean) {
  std::vector<at::Tensor> features = ladder(mean);
  for (at::Tensor& feature : features) feature = in_float32(feature);
  const WithoutAutocast in_own_dtype;
  std::vector<FactorPrediction> result;
  if (heads_ != nullptr) {
    features.resize(kCoarseToFineLevels);
    result.push_back(heads_->forward(features, mean.logits.front()));
  }
  for (std::size_t scale = 0; scale < std::min(blocks_.size(), mean.logits.size()); ++scale) {
    result.push_back(blocks_[scale]->forward(features[scale]));
  }
  return result;
}

}  // namespace supn
