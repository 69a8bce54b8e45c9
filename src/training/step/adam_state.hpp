// The state of torch::optim::Adam under the parameters' names, so that it can be stored beside
// them:
// "<parameter>.exp_avg", "<parameter>.exp_avg_sq" (shape of the parameter), "<parameter>.step"
// (int64 scalar). A parameter that never had a gradient has no state and no entries.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/optim/adam.h>

#include <map>
#include <string>

namespace supn {

using NamedTensors = std::map<std::string, at::Tensor>;

// Copies on the CPU.
NamedTensors adam_state(const torch::optim::Adam& adam, const NamedTensors& parameters);

// Throws c10::Error naming the parameter if an entry is missing beside its two others or has
// another shape than the parameter.
void restore_adam_state(torch::optim::Adam& adam,
                        const NamedTensors& parameters,
                        const NamedTensors& state);

}  // namespace supn
