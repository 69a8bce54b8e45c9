// These heads turn a decoder's features into the factor in the order from coarse to fine
// (neighbourhood.hpp).
//
// Level l fills in pixels of stride s = 2^l from the feature of that stride. Its head is a
// convolution without overlap, one cell for each period (4×4 features for 12 classes, 2×2 for 3)
// with 1 + K maps for every class. The coarsest grid, which starts half a stride from the
// corner, has a 4×4 convolution of stride 2 on the feature of stride 16, centred on its pixels.
// With the maps D and M of a pixel in the layout of the image:
//
//   φ = φ⁰ + 8·tanh(D/8)      w = w⁰ + tanh M, scaled down where Σ|w| > B      ψ = −w·e^φ
//
// φ⁰, w⁰ are those of the starting field (kriging.hpp). The heads' last weights start at 0, so that
// an untrained network's samples are that field's. B = 2, less for the coarsest grid of a large
// image: no chain of dependent pixels can leave float32's range, whatever the maps hold.
//
// The heads of the levels 3 and 4 and of the coarsest grid see few pixels: they are 24 channels
// wide behind a 1×1 convolution, and train at a rate of their own (ParameterGroup::kCoarse).
// Names level.{l}.{pre,out}.*, coarsest.{pre,out}.*.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/network/factor_prediction.hpp"
#include "supn/network/kriging.hpp"
#include "supn/network/network_config.hpp"

namespace supn {

class ClassHead;

class CoarseToFineHeads : public torch::nn::Module {
 public:
  // channels: of the features at strides 1, 2, 4, 8, 16.
  CoarseToFineHeads(const std::vector<std::int64_t>& channels, const NetworkConfig& config);

  // features: finest first, [B,C,⌈H/2^l⌉,⌈W/2^l⌉]; image: any [B,1,H,W], for size and batch.
  FactorPrediction forward(const std::vector<at::Tensor>& features, const at::Tensor& image);

  // Tells whether a parameter, by its name within this module, is of ParameterGroup::kCoarse.
  static bool is_coarse(std::string_view name);

 private:
  struct Start {
    ImageSize size;
    Kriging kriging;
    at::Tensor largest_gain;  // B [1,1,H,W]
  };

  // Of the image's size, dtype and device. Threads may ask at once.
  std::shared_ptr<const Start> start_for(const at::Tensor& image);

  StartingField field_;
  Neighbourhood neighbourhood_;
  std::vector<std::shared_ptr<ClassHead>> levels_;  // finest first
  std::shared_ptr<ClassHead> coarsest_;
  std::mutex starting_;
  std::shared_ptr<const Start> start_;  // of the size that was asked for last
};

}  // namespace supn
