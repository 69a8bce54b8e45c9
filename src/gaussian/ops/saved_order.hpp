// An order of pixels as a node of the autograd graph keeps it.
#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include "supn/gaussian/neighbourhood.hpp"

namespace supn {

void save_order(torch::autograd::AutogradContext* context, const Neighbourhood& neighbourhood);

Neighbourhood saved_order(torch::autograd::AutogradContext* context);

}  // namespace supn
