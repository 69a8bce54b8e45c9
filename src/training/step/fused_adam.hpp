// torch::optim::Adam's step in one pass over the memory instead of some fifteen.
#pragma once

#include <torch/optim/adam.h>

namespace supn {

// What adam.step() does, to rounding; its state stays the optimizer's own. Without AMSGrad.
void fused_step(torch::optim::Adam& adam);

}  // namespace supn
