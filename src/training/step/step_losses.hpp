// A step minimises these losses, in either stage.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/data/batch.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/training/process_group.hpp"
#include "supn/training/trainer.hpp"
#include "supn/training/training_config.hpp"

namespace supn {

struct StepLosses {
  at::Tensor total;
  std::vector<at::Tensor> terms;
  at::Tensor std_match;                     // undefined where not asked for
  at::Tensor energy_match;                  // undefined where not asked for
  at::Tensor variogram_match;               // undefined where not asked for
  at::Tensor mean_l1;                       // undefined where not asked for
  at::Tensor mean_phi;                      // of the finest scale; undefined in the warm-up
  std::vector<at::Tensor> level_variances;  // StepReport::level_variances

  // Reads everything from the device at once; losses are averaged over the processes.
  void read_into(StepReport& report,
                 const at::Tensor& gradient_norm,
                 const ProcessGroup& processes) const;
};

// Both take the finest losses.scales scales, and throw c10::Error if the batch has fewer.
StepLosses warm_up_losses(SupnNetwork& network, const Batch& batch, const TrainingConfig& config);

// Noise is keyed by the seed, the step and the images' names.
StepLosses likelihood_losses(SupnNetwork& network,
                             const Batch& batch,
                             const TrainingConfig& config,
                             std::int64_t step);

}  // namespace supn
