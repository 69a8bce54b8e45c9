#include "channels_last.hpp"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/api/module.h>

namespace supn {

void lay_out_weights(torch::jit::Module& module, at::MemoryFormat format) {
  const at::NoGradGuard no_grad;
  const auto lay_out = [&](at::Tensor tensor) {
    if (tensor.dim() == 4) tensor.set_data(tensor.contiguous(format));
  };
  for (const at::Tensor& parameter : module.parameters()) lay_out(parameter);
  for (const at::Tensor& buffer : module.buffers()) lay_out(buffer);
}

}  // namespace supn
