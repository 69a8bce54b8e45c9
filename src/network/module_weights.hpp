// load_weights (weights.hpp) for any module with the public names.
#pragma once

#include <torch/nn/module.h>

#include <map>
#include <string>

#include "supn/network/weights.hpp"

namespace supn {

WeightReport load_module_weights(torch::nn::Module& module,
                                 const std::map<std::string, at::Tensor>& source);

}  // namespace supn
