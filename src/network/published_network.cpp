#include "supn/network/published_network.hpp"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "supn/errors.hpp"
#include "supn/serialization/pth.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstHead = 10;
constexpr int kHeads = 4;
constexpr std::int64_t kMostPixels = 65536;

struct StateDict {
  fs::path path;
  std::map<std::string, at::Tensor> tensors;
  std::map<std::string, PthValue> values;
};

// Programs put these names around a network's weights: training on several GPUs ("module."), and
// the dict of a whole training state, which holds the optimizer's tensors as well.
constexpr std::array<std::string_view, 5> kWrappings{
    "module.", "state_dict.", "model_state_dict.", "model.", "network."};

// Replaces the state by what is below one such name; false where there is none.
bool unwrap(StateDict& state) {
  for (const std::string_view wrapping : kWrappings) {
    const auto below = [&](auto& entries) {
      std::remove_reference_t<decltype(entries)> inner;
      for (auto& [name, entry] : entries) {
        if (name.starts_with(wrapping)) inner.emplace(name.substr(wrapping.size()), entry);
      }
      return inner;
    };
    std::map<std::string, at::Tensor> inner = below(state.tensors);
    if (inner.empty()) continue;
    state.tensors = std::move(inner);
    state.values.merge(below(state.values));  // height and width may lie at either place
    return true;
  }
  return false;
}

StateDict read_state_dict(const fs::path& path) {
  StateDict state{path, {}, {}};
  if (path.extension() == ".safetensors") {
    state.tensors = read_safetensors(path).tensors;
  } else {
    PthFile file = read_pth(path);
    state.tensors = std::move(file.tensors);
    state.values = std::move(file.values);
  }
  while (unwrap(state)) {
  }
  return state;
}

bool has(const StateDict& state, const std::string& name) { return state.tensors.count(name) > 0; }

// Returns the height or width; 0 if there is none.
std::int64_t pixels_of(const StateDict& state, const std::string& name) {
  const auto found = state.values.find(name);
  if (found == state.values.end()) return 0;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  if (value == nullptr || *value < 0 || *value > kMostPixels) {
    throw IoError(state.path, "has a " + name + " that is no number of pixels");
  }
  return *value;
}

std::string head_name(int index) { return "decoder." + std::to_string(index) + ".conv."; }

MemberConfig config_of(const StateDict& encoder, const StateDict& decoder) {
  MemberConfig config;
  if (has(encoder, "convs.0.0.weight")) {
    if (has(encoder, "skips.0.weight")) {
      throw IoError(encoder.path,
                    "is a compact network with skips (skips.0.weight), which no member has; export "
                    "the member as TorchScript");
    }
    config.backbone = Backbone::kCompact;
    if (has(decoder, "log_scale.conv3.weight")) config.log_scale = LogScaleHead::kPresent;
    return config;
  }
  const bool bottleneck = has(encoder, "encoder.layer1.0.conv3.weight");
  const bool deep = has(encoder, "encoder.layer1.2.conv1.weight");
  if (bottleneck || deep) {
    throw IoError(encoder.path,
                  "is a ResNet of another depth than 18, which cannot be converted; export the "
                  "member as TorchScript");
  }
  if (!has(encoder, "encoder.layer1.0.conv1.weight") && !has(encoder, "layer1.0.conv1.weight")) {
    throw IoError(encoder.path,
                  "is no encoder that is known (ResNet18: encoder.layer1.0.conv1.weight; compact: "
                  "convs.0.0.weight); export the member as TorchScript");
  }
  // With a log-scale head beside each logit head there are twice as many.
  if (has(decoder, head_name(kFirstHead + 2 * kHeads - 1) + "weight")) {
    config.log_scale = LogScaleHead::kPresent;
  }
  return config;
}

// The names that a member's tensor may have in the published files.
std::vector<std::string> published_names(const MemberConfig& config, const std::string& name) {
  if (config.backbone == Backbone::kCompact) return {name};
  constexpr std::string_view kEncoder = "encoder.";
  if (name.starts_with(kEncoder)) return {name, name.substr(kEncoder.size())};
  if (config.log_scale == LogScaleHead::kAbsent) return {name};
  constexpr std::string_view kLogScale = "log_scale.conv.";
  if (name.starts_with(kLogScale))
    return {head_name(kFirstHead + 1) + name.substr(kLogScale.size())};
  for (int scale = 0; scale < kHeads; ++scale) {
    const std::string own = head_name(kFirstHead + scale);
    if (name.starts_with(own)) return {head_name(kFirstHead + 2 * scale) + name.substr(own.size())};
  }
  return {name};
}

bool is_of_encoder(const MemberConfig& config, const std::string& name) {
  if (config.backbone == Backbone::kResnet18) return name.starts_with("encoder.");
  return name.starts_with("conv1.") || name.starts_with("convs.");
}

std::optional<at::Tensor> find_tensor(const StateDict& state,
                                      const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = state.tensors.find(name);
    if (found != state.tensors.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace

PublishedNetwork read_published_network(const fs::path& encoder, const fs::path& decoder) {
  const StateDict front = read_state_dict(encoder);
  const StateDict back = read_state_dict(decoder);
  PublishedNetwork network;
  network.config = config_of(front, back);
  network.size = {pixels_of(front, "height"), pixels_of(front, "width")};
  for (const auto& [name, shape] : member_shapes(network.config)) {
    if (name.ends_with("num_batches_tracked")) continue;
    const StateDict& state = is_of_encoder(network.config, name) ? front : back;
    const std::vector<std::string> names = published_names(network.config, name);
    const std::optional<at::Tensor> tensor = find_tensor(state, names);
    if (!tensor) throw IoError(state.path, "has no tensor " + names.front());
    if (tensor->sizes() != at::IntArrayRef(shape) || !at::isFloatingType(tensor->scalar_type())) {
      throw IoError(state.path,
                    c10::str("has a tensor ",
                             names.front(),
                             " of ",
                             tensor->scalar_type(),
                             " ",
                             tensor->sizes(),
                             ", expected floating point ",
                             at::IntArrayRef(shape)));
    }
    if (!tensor->isfinite().all().item<bool>()) {
      throw IoError(state.path,
                    "has a value in " + names.front() +
                        " that is not finite: its training went wrong; take another snapshot");
    }
    network.tensors.emplace(name, tensor->to(at::kFloat));
  }
  return network;
}

}  // namespace supn
