// The methods that an exported network has beside its maps, as TorchScript on tensors alone.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/image_size.hpp"

namespace supn {

// Adds to a module with the method maps(image) those that torch_script.hpp names. multiple: of the
// images' sides; size: that of all images from coarse to fine.
void define_methods(torch::jit::Module& module,
                    const Neighbourhood& neighbourhood,
                    const ImageSize& size,
                    std::int64_t multiple);

}  // namespace supn
