// This sets the memory layout of a TorchScript module's convolutions.
#pragma once

#include <c10/core/MemoryFormat.h>

namespace torch::jit {
struct Module;
}

namespace supn {

// Lays out the module's four-dimensional parameters and buffers in `format`; their values stay.
void lay_out_weights(torch::jit::Module& module, at::MemoryFormat format);

}  // namespace supn
