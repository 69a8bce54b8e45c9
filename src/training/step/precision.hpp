// training.precision decides the number formats of a step's convolutions; their layout is set here
// too.
#pragma once

#include <c10/core/Device.h>

#include <optional>

#include "supn/network/bfloat16_convolutions.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/training/training_config.hpp"

namespace supn {

// Throws ConfigError for bf16 on a processor that has no instructions for it: there it is twenty
// times slower than float32.
void check_precision(Precision precision, const c10::Device& device);

// Sets whether a GPU rounds float32 convolutions to TF32, as long as it lives: a setting of
// LibTorch's for all threads, since gradients are computed by others.
class StepPrecision {
 public:
  explicit StepPrecision(Precision precision);
  ~StepPrecision();
  StepPrecision(const StepPrecision&) = delete;
  StepPrecision& operator=(const StepPrecision&) = delete;

 private:
  bool before_;
};

// forward() with its convolutions in bfloat16 where that is asked for.
template <class Forward>
auto at_precision(Precision precision, const c10::Device& device, const Forward& forward) {
  std::optional<Bfloat16Convolutions> in_bfloat16;
  if (precision == Precision::kBf16) in_bfloat16.emplace(device.type());
  return forward();
}

// Lays out the convolutions' weights with channels as the fastest dimension, the layout of a GPU's
// matrix units; features follow them.
void lay_out_channels_last(const SupnNetworkImpl& network);

}  // namespace supn
