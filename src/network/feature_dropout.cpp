#include "feature_dropout.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/rand.h>

namespace supn {
namespace {

at::Tensor draw_mask(const at::Tensor& features, double probability, std::uint64_t seed) {
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  const at::Tensor uniform =
      at::rand({1, features.size(1), features.size(2), features.size(3)}, generator);
  return (uniform.ge(probability).to(at::kFloat) / (1.0 - probability)).to(features.device());
}

}  // namespace

at::Tensor FeatureDropout::apply(const at::Tensor& features, std::size_t layer) const {
  if (probability_ == 0.0) return features;
  at::Tensor& mask = (*masks_)[layer];
  if (!mask.defined() || mask.sizes().slice(1) != features.sizes().slice(1) ||
      mask.device() != features.device()) {
    constexpr std::uint64_t kLayers = 64;
    mask = draw_mask(features, probability_, seed_ * kLayers + layer);
  }
  return features * mask;
}

}  // namespace supn
