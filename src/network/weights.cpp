#include "supn/network/weights.hpp"

#include <ATen/core/grad_mode.h>
#include <c10/util/StringUtil.h>

#include <optional>
#include <set>
#include <string_view>

#include "module_weights.hpp"
#include "supn/network/supn_network.hpp"

namespace supn {
namespace {

constexpr std::string_view kTracked = "num_batches_tracked";

bool is_ignored(std::string_view name) {
  return name.starts_with("fc.") || name.starts_with("encoder.fc.") || name.ends_with(kTracked);
}

// A torchvision ResNet has the encoder's names without its prefix.
std::optional<std::string> name_in(const std::map<std::string, at::Tensor>& source,
                                   const std::string& name) {
  constexpr std::string_view kPrefix = "encoder.";
  if (source.count(name) > 0) return name;
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string bare = name.substr(kPrefix.size());
  return source.count(bare) > 0 ? std::optional(bare) : std::nullopt;
}

// In files with a log-scale head beside each logit head the two alternate: 10 is the logit head of
// scale 0, 11 its log-scale head, 12 the logit head of scale 1, … 17. The number of heads tells
// such files.
std::string published_name(const std::map<std::string, at::Tensor>& source,
                           const std::string& name) {
  constexpr int kFirstDispconv = 10;
  if (source.count("decoder.17.conv.weight") == 0) return name;
  for (int scale = 1; scale < 4; ++scale) {
    const std::string own = "decoder." + std::to_string(kFirstDispconv + scale) + ".conv.";
    if (!name.starts_with(own)) continue;
    return "decoder." + std::to_string(kFirstDispconv + 2 * scale) + ".conv." +
           name.substr(own.size());
  }
  return name;
}

std::map<std::string, at::Tensor> tensors_of(const torch::nn::Module& module) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& item : module.named_parameters()) tensors.emplace(item.key(), item.value());
  for (const auto& item : module.named_buffers()) tensors.emplace(item.key(), item.value());
  return tensors;
}

}  // namespace

WeightReport load_weights(SupnNetworkImpl& network,
                          const std::map<std::string, at::Tensor>& source) {
  return load_module_weights(network, source);
}

WeightReport load_module_weights(torch::nn::Module& module,
                                 const std::map<std::string, at::Tensor>& source) {
  const at::NoGradGuard no_grad;
  WeightReport report;
  std::set<std::string> used;
  for (auto& [name, target] : tensors_of(module)) {
    const std::optional<std::string> found = name_in(source, published_name(source, name));
    if (!found) {
      if (!name.ends_with(kTracked)) report.missing.push_back(name);
      continue;
    }
    used.insert(*found);
    const at::Tensor& value = source.at(*found);
    if (value.sizes() != target.sizes()) {
      report.mismatched.push_back(
          c10::str(name, ": ", value.sizes(), " instead of ", target.sizes()));
      continue;
    }
    at::Tensor(target).copy_(value);
    report.loaded.push_back(name);
  }
  for (const auto& [name, value] : source) {
    if (used.count(name) == 0 && !is_ignored(name)) report.unexpected.push_back(name);
  }
  return report;
}

}  // namespace supn
