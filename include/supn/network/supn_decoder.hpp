// The second decoder turns the encoder's bottleneck and the mean decoder's features into
// log-diagonal φ and off-diagonal ψ of the factor at each scale. See paper section 4,
// docs/method.md "Network".
//
// Level i, coarsest first: [coordinates] conv ELU, ×2, concatenate (upsampled, m_i, [coordinates]),
// conv ELU. In raster order a SupnBlock on each of the finest `scales` levels:
//   φ = log(e^D e^a + e^b), a, b one number per image from the mean feature (at start 0 and −4)
//   ψ from the raw maps M by the configured form (off_diagonal.hpp)
// In the order from coarse to fine: CoarseToFineHeads on all levels, for the finest scale alone.
// Names supn.up0.{i}.conv.conv.*, supn.up1.{i}.conv.conv.*, supn.block.{s}.{pre,diag,off,ab,gamma},
// supn.heads.*.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/network/coarse_to_fine_heads.hpp"
#include "supn/network/factor_prediction.hpp"
#include "supn/network/layers.hpp"
#include "supn/network/mean_network.hpp"
#include "supn/network/network_config.hpp"

namespace supn {

class SupnBlock : public torch::nn::Module {
 public:
  SupnBlock(std::int64_t channels, const NetworkConfig& config);
  FactorPrediction forward(const at::Tensor& feature);

 private:
  at::Tensor log_diagonal(const at::Tensor& feature);

  OffDiagonalForm form_;
  Neighbourhood neighbourhood_;
  std::shared_ptr<ReflectConv> diag_;
  std::shared_ptr<ReflectConv> off_;  // null for radius 0
  std::shared_ptr<ReflectConvElu> pre_;
  torch::nn::Linear ab_{nullptr};  // null without diagonal scaling
  at::Tensor gamma_;               // [K], undefined for forms without it
};

class SupnDecoder : public torch::nn::Module {
 public:
  SupnDecoder(const MeanNetwork& mean, const NetworkConfig& config);
  // Finest scale first: as many as there are logits, or the finest alone from coarse to fine.
  std::vector<FactorPrediction> forward(const MeanFeatures& mean);

 private:
  void add_heads(const MeanNetwork& mean, const NetworkConfig& config);
  // Returns features of the strides 1, 2, 4, …, and the bottleneck.
  std::vector<at::Tensor> ladder(const MeanFeatures& mean);
  // Returns coordinate maps of x's size, or an undefined tensor.
  at::Tensor coordinates_of(const at::Tensor& x) const;

  bool coordinate_maps_;
  std::vector<std::shared_ptr<ReflectConvElu>>
      before_;                                          // before the upsampling, finest level first
  std::vector<std::shared_ptr<ReflectConvElu>> after_;  // after the concatenation
  std::vector<std::shared_ptr<SupnBlock>> blocks_;      // none from coarse to fine
  std::shared_ptr<CoarseToFineHeads> heads_;            // null in raster order
};

}  // namespace supn
