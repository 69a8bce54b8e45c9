#include "training/run/initial_weights.hpp"

#include <ATen/core/grad_mode.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "supn/errors.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {

namespace {

using Tensors = std::map<std::string, at::Tensor>;

constexpr const char* kSkip = "skips.0.weight";

// Tells the backbone from the names in a file of weights.
std::string backbone_of(const Tensors& tensors) {
  if (tensors.count(kSkip) > 0) return "backbone compact_unet";
  if (tensors.count("convs.0.0.weight") > 0) return "backbone compact";
  for (const char* name : {"encoder.layer1.0.conv1.weight", "layer1.0.conv1.weight"}) {
    if (tensors.count(name) > 0) return "backbone resnet18";
  }
  return "an unknown backbone";
}

// Returns which share of the mean network's numbers lies in the tensors named.
double mean_share(const SupnNetworkImpl& network, const std::vector<std::string>& loaded) {
  const Tensors state = state_of(network);
  const auto is_mean = [](const std::string& name) { return !name.starts_with("supn."); };
  std::int64_t all = 0;
  std::int64_t taken = 0;
  for (const auto& [name, tensor] : state) all += is_mean(name) ? tensor.numel() : 0;
  for (const std::string& name : loaded) taken += is_mean(name) ? state.at(name).numel() : 0;
  return static_cast<double>(taken) / static_cast<double>(all);
}

std::filesystem::path weights_file(const std::filesystem::path& source) {
  if (!std::filesystem::is_directory(source)) return source;
  const std::filesystem::path file = source / "model.safetensors";
  if (!std::filesystem::exists(file)) check_checkpoint_directory(source);
  return file;
}

}  // namespace

WeightReport load_initial_weights(SupnNetworkImpl& network, const TrainingConfig& training) {
  const std::filesystem::path file = weights_file(training.initial_weights);
  const Tensors tensors = read_safetensors(file).tensors;
  WeightReport report = load_weights(network, tensors);
  const double share = mean_share(network, report.loaded);
  // Weights that a network with skips leaves fit one without them, whose mean would be another.
  const bool loses_skips =
      tensors.count(kSkip) > 0 && network.config().backbone != Backbone::kCompactUnet;
  if (share >= training.initial_share && !report.loaded.empty() && !loses_skips) return report;
  throw IoError(file,
                "is of " + backbone_of(tensors) + ", the network's is " +
                    std::string(option_name(network.config().backbone)) + ": " +
                    std::to_string(std::lround(100.0 * share)) +
                    " % of the mean network's weights fit by name and shape; set network.backbone, "
                    "name other training.initial_weights, or lower training.initial_share");
}

void set_mean_level(SupnNetworkImpl& network, double logit) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters_of(network, ParameterGroup::kMean)) {
    if (parameter.dim() == 1 && parameter.numel() == 1) parameter.fill_(logit);
  }
}

}  // namespace supn
