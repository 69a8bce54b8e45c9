#include "initial_weights.hpp"

#include <ATen/core/grad_mode.h>

#include <map>
#include <string>

#include "supn/errors.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {

WeightReport load_initial_weights(SupnNetworkImpl& network, const std::filesystem::path& source) {
  const std::filesystem::path file =
      std::filesystem::is_directory(source) ? source / "model.safetensors" : source;
  WeightReport report = load_weights(network, read_safetensors(file).tensors);
  if (report.loaded.empty()) {
    throw IoError(file,
                  "holds no tensor that fits this network by name and shape (training."
                  "initial_weights); check network.backbone");
  }
  return report;
}

void set_mean_level(SupnNetworkImpl& network, double logit) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters_of(network, ParameterGroup::kMean)) {
    if (parameter.dim() == 1 && parameter.numel() == 1) parameter.fill_(logit);
  }
}

}  // namespace supn
