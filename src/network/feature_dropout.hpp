// Dropout that stays on when predicting: which features are dropped is drawn once for a seed, and
// is the same for every image. A network with a seed is thus one member of an ensemble, whatever
// the batches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>

namespace supn {

class FeatureDropout {
 public:
  // probability 0 drops nothing.
  explicit FeatureDropout(double probability = 0.0, std::uint64_t seed = 0)
      : probability_(probability), seed_(seed), masks_(std::make_shared<Masks>()) {}

  // Takes features [B,C,h,w] of the decoder's layer; sets some to 0 and divides the others by
  // 1 − probability. Two threads must not call this at once.
  at::Tensor apply(const at::Tensor& features, std::size_t layer) const;

 private:
  using Masks = std::map<std::size_t, at::Tensor>;  // per layer [1,C,h,w]

  double probability_;
  std::uint64_t seed_;
  std::shared_ptr<Masks> masks_;
};

}  // namespace supn
