// torch::optim::Adam's step in one pass over the memory instead of some fifteen.
#pragma once

#include <torch/optim/adam.h>

namespace supn {

// Does what adam.step() does without AMSGrad, to rounding; its state stays the optimizer's own.
void fused_step(torch::optim::Adam& adam);

}  // namespace supn
