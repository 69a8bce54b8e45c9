#include "compact_mean_network.hpp"

#include <ATen/ops/leaky_relu.h>
#include <torch/nn/init.h>

#include <array>

#include "autocast.hpp"
#include "elu.hpp"

namespace supn {
namespace {

constexpr std::array<std::int64_t, 4> kStageChannels{64, 64, 128, 192};
constexpr std::array<std::int64_t, 9> kLadderChannels{192, 96, 96, 64, 64, 32, 32, 16, 16};
constexpr std::array<std::int64_t, 3> kSkipChannels{32, 64, 96};  // at strides 2, 4, 8
constexpr std::array<std::int64_t, 3> kHeadChannels{16, 32, 64};
constexpr double kSlope = 0.1;

// A skip adds nothing until it has learnt to, so that weights without skips keep their meaning.
torch::nn::Conv2d skip_convolution(std::int64_t in, std::int64_t out) {
  torch::nn::Conv2d convolution(torch::nn::Conv2dOptions(in, out, 1).bias(false));
  torch::nn::init::zeros_(convolution->weight);
  return convolution;
}

torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t stride) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).stride(stride).padding(1));
}

// A module with one convolution as its only child, under the name that the public files use.
class NamedConvolution : public torch::nn::Module {
 public:
  explicit NamedConvolution(torch::nn::Conv2d conv) { register_module("conv3", std::move(conv)); }
};

// A pair of convolutions at the indices 0 and 2 (1 and 3 are activations without parameters).
class Stage : public torch::nn::Module {
 public:
  Stage(const torch::nn::Conv2d& first, const torch::nn::Conv2d& second) {
    register_module("0", first);
    register_module("2", second);
  }
};

}  // namespace

CompactMeanNetwork::CompactMeanNetwork(Skips skips)
    : conv1_(torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)) {
  for (std::size_t i = 1; i < kStageChannels.size(); ++i) {
    stages_.push_back(convolution(kStageChannels[i - 1], kStageChannels[i], 2));
    stages_.push_back(convolution(kStageChannels[i], kStageChannels[i], 1));
    convs_->push_back(std::make_shared<Stage>(stages_.end()[-2], stages_.back()));
  }
  for (std::size_t i = 1; i < kLadderChannels.size(); ++i) {
    ladder_.push_back(std::make_shared<ReflectConv>(kLadderChannels[i - 1], kLadderChannels[i]));
    decoder_->push_back(ladder_.back());
  }
  for (const std::int64_t channels : kHeadChannels) {
    heads_.push_back(convolution(channels, 1, 1));
    decoder_->push_back(std::make_shared<NamedConvolution>(heads_.back()));
  }
  if (skips == Skips::kNone) return;
  for (std::size_t i = 0; i < kSkipChannels.size(); ++i) {
    skips_->push_back(skip_convolution(kStageChannels[i], kSkipChannels[i]));
  }
}

void CompactMeanNetwork::register_with(torch::nn::Module& owner) {
  owner.register_module("conv1", conv1_);
  owner.register_module("convs", convs_);
  owner.register_module("decoder", decoder_);
  if (!skips_->is_empty()) owner.register_module("skips", skips_);
}

MeanFeatures CompactMeanNetwork::forward(const at::Tensor& image, Scales scales) {
  at::Tensor x = conv1_->forward(normalise_image(image)).relu_();
  std::vector<at::Tensor> encoded;  // at strides 2, 4, 8
  for (std::size_t i = 0; i < stages_.size(); i += 2) {
    encoded.push_back(x);
    for (std::size_t j = i; j < i + 2; ++j) {
      x = stages_[j]->forward(x);
      at::leaky_relu_(x, kSlope);
    }
  }
  MeanFeatures result{x, std::vector<at::Tensor>(ladder_.size() / 2), {}};
  for (std::size_t i = ladder_.size() / 2, next = 0; i-- > 0; next += 2) {
    at::Tensor y = ladder_[next]->forward(x);
    y = upsample_twice(elu_in_place(y));
    if (i > 0 && !skips_->is_empty()) {
      y = y + skips_[i - 1]->as<torch::nn::Conv2d>()->forward(encoded[i - 1]);
    }
    y = ladder_[next + 1]->forward(y);
    result.features[i] = x = elu_in_place(y);
  }
  const WithoutAutocast in_own_dtype;
  for (std::size_t scale = 0; scale < (scales == Scales::kAll ? heads_.size() : 1); ++scale) {
    result.logits.push_back(heads_[scale]->forward(in_float32(result.features[scale])));
  }
  return result;
}

}  // namespace supn
