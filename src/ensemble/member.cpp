#include "supn/ensemble/member.hpp"

#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "channels_last.hpp"
#include "supn/ensemble/member_logits.hpp"
#include "supn/errors.hpp"
#include "supn/network/member_network.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/pth.hpp"

namespace supn {
namespace {

// A module's outputs by name, in its order; one tensor has the name "".
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// TorchScript's message ends with the error itself, below the trace of its own source.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string key_text(const c10::IValue& key) {
  if (key.isString()) return key.toStringRef();
  if (key.isInt()) return std::to_string(key.toInt());
  return "?";
}

std::optional<NamedTensors> named_tensors(const c10::IValue& output) {
  NamedTensors named;
  const auto add = [&](std::string name, const c10::IValue& value) {
    if (value.isTensor()) named.emplace_back(std::move(name), value.toTensor());
  };
  if (output.isTensor()) {
    named.emplace_back("", output.toTensor());
  } else if (output.isTensorList()) {
    for (const at::Tensor& tensor : output.toTensorVector()) {
      named.emplace_back(std::to_string(named.size()), tensor);
    }
  } else if (output.isTuple()) {
    const auto& elements = output.toTupleRef().elements();
    for (std::size_t i = 0; i < elements.size(); ++i) add(std::to_string(i), elements[i]);
  } else if (output.isList()) {
    const auto elements = output.toListRef();
    for (std::size_t i = 0; i < elements.size(); ++i) add(std::to_string(i), elements[i]);
  } else if (output.isGenericDict()) {
    for (const auto& entry : output.toGenericDict()) add(key_text(entry.key()), entry.value());
  } else {
    return std::nullopt;
  }
  return named;
}

std::string names_of(const NamedTensors& named) {
  std::string text;
  for (const auto& [name, tensor] : named) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

at::Tensor find_output(const NamedTensors& named,
                       const std::string& key,
                       const std::filesystem::path& file) {
  if (named.size() == 1 && named.front().first.empty()) {
    throw IoError(file,
                  "outputs one tensor, so it has no output '" + key +
                      "'; leave ensemble.output_keys and ensemble.log_scale_key empty");
  }
  for (const auto& [name, tensor] : named) {
    if (name == key) return tensor;
  }
  throw IoError(file,
                "has no output '" + key + "' (outputs: " + names_of(named) +
                    "); set ensemble.output_keys and ensemble.log_scale_key");
}

// The outputs that are scales, in order.
std::vector<at::Tensor> scale_outputs(const NamedTensors& named,
                                      const EnsembleConfig& config,
                                      const std::filesystem::path& file) {
  std::vector<at::Tensor> scales;
  for (const std::string& key : config.output_keys) {
    scales.push_back(find_output(named, key, file));
  }
  if (!scales.empty()) return scales;
  for (const auto& [name, tensor] : named) {
    if (!name.empty() && name == config.log_scale_key) continue;
    std::size_t position = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
    const bool is_positional = error == std::errc() && end == name.data() + name.size();
    if (!name.empty() && !is_positional) {
      throw IoError(
          file,
          "outputs a dict; name its maps in ensemble.output_keys, finest first (outputs: " +
              names_of(named) + ")");
    }
    scales.push_back(tensor);
  }
  if (scales.empty()) throw IoError(file, "outputs no map at all");
  return scales;
}

// Returns [B,1,h,w] of one of the module's outputs.
at::Tensor as_maps(const at::Tensor& output,
                   std::int64_t batch,
                   const std::filesystem::path& file) {
  const at::Tensor maps = output.dim() == 3 ? output.unsqueeze(1) : output;
  if (maps.dim() != 4 || maps.size(0) != batch || maps.size(1) != 1 ||
      !at::isFloatingType(maps.scalar_type())) {
    throw IoError(file,
                  "outputs " + std::string(c10::toString(output.scalar_type())) + " of shape " +
                      c10::str(output.sizes()) +
                      "; expected floating-point maps [B,1,h,w] with B = " + std::to_string(batch));
  }
  return maps;
}

// Tells whether outputs differ beyond rounding: of sigmoids near 0 or 1, a few logits may differ by
// more than all others.
bool differ(const MemberOutput& a, const MemberOutput& b) {
  constexpr double kLargestMean = 1e-4;
  for (std::size_t s = 0; s < a.logits.size(); ++s) {
    const double mean = (a.logits[s] - b.logits[s]).abs().mean().item<double>();
    if (!(mean <= kLargestMean)) return true;
  }
  return false;
}

void check_no_nan(const at::Tensor& maps, const std::filesystem::path& file) {
  if (maps.isnan().any().item<bool>()) {
    throw IoError(file, "outputs NaN for one of the images; leave this member out, or mend it");
  }
}

// Weights without their network are what torch.save(model.state_dict()) writes.
void refuse_state_dict(const std::filesystem::path& file) {
  try {
    if (read_pth(file).tensors.empty()) return;
  } catch (const IoError&) {
    return;
  }
  throw IoError(file,
                "holds weights without their network (a state dict of torch.save), not "
                "TorchScript; convert it with supn_import --out, and list what that writes");
}

}  // namespace

Member::Member(const std::filesystem::path& file, const EnsembleConfig& config, at::Device device)
    : file_(file), config_(config), device_(device) {
  if (!is_there(file)) throw IoError(file, "member not found; check ensemble.members");
  require_file(file);
  if (file.extension() == ".safetensors") {
    network_ = std::make_shared<const MemberNetwork>(file, device);
    config_.quantity = MemberQuantity::kLogit;
    return;
  }
  try {
    module_ = std::make_shared<torch::jit::Module>(torch::jit::load(file.string(), device));
    module_->eval();
  } catch (const c10::Error& error) {
    refuse_state_dict(file);
    throw IoError(
        file,
        "is not a TorchScript file that can be loaded (" +
            first_line(error.what_without_backtrace()) +
            "); export the member with torch.jit.trace or torch.jit.script, then .save()");
  }
}

std::optional<ImageSize> Member::trained_size() const {
  return network_ == nullptr ? std::nullopt : network_->trained_size();
}

void Member::lay_out(at::MemoryFormat format) {
  layout_ = format;
  lay_out_weights(*module_, format);
}

MemberOutput Member::settle_layout(const at::Tensor& image) {
  MemberOutput contiguous = predict(image);
  if (module_ == nullptr || !device_.is_cpu()) return contiguous;
  lay_out(at::MemoryFormat::ChannelsLast);
  try {
    MemberOutput channels_last = predict(image);
    if (!differ(contiguous, channels_last)) return channels_last;
  } catch (const IoError&) {
    // The module takes its tensors' memory for contiguous, as `view` does.
  }
  lay_out(at::MemoryFormat::Contiguous);
  return contiguous;
}

c10::IValue Member::run_module(const at::Tensor& image) const {
  try {
    return module_->forward({image.to(device_).contiguous(layout_)});
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::exception& error) {
    throw IoError(
        file_,
        "fails on an input of shape " + c10::str(image.sizes()) + ": " + last_line(error.what()));
  }
}

// Returns a tuple of scales, or a dict of them by position and of the log-scale, where that is
// asked for.
c10::IValue Member::run_network(const at::Tensor& image) const {
  constexpr const char* kLogScaleName = "log_scale_0";
  const MemberMaps maps = network_->predict(image.to(device_));
  c10::Dict<std::string, at::Tensor> named;
  for (std::size_t s = 0; s < maps.logits.size(); ++s) {
    named.insert(std::to_string(s), maps.logits[s]);
  }
  if (config_.log_scale_key == kLogScaleName && maps.log_scale.defined()) {
    named.insert(kLogScaleName, maps.log_scale);
  }
  return named;
}

MemberOutput Member::predict(const at::Tensor& image) const {
  const c10::InferenceMode inference;
  const c10::IValue output = network_ == nullptr ? run_module(image) : run_network(image);
  const std::optional<NamedTensors> named = named_tensors(output);
  if (!named) {
    throw IoError(
        file_, "outputs " + output.tagKind() + "; expected a tensor, list, tuple or dict of them");
  }
  MemberOutput result;
  for (const at::Tensor& scale : scale_outputs(*named, config_, file_)) {
    const at::Tensor maps = as_maps(scale, image.size(0), file_).to(at::kCPU);
    check_no_nan(maps, file_);
    if (!result.logits.empty() && maps.size(2) > result.logits.back().size(2)) {
      throw IoError(file_,
                    "gives a scale larger than the one before; list ensemble.output_keys "
                    "from the finest to the coarsest");
    }
    ClampedLogits converted = to_logits(maps, config_);
    result.logits.push_back(std::move(converted.logits));
    result.clamped += converted.clamped;
  }
  if (!config_.log_scale_key.empty()) {
    const at::Tensor log_scale = find_output(*named, config_.log_scale_key, file_);
    result.log_scale = as_maps(log_scale, image.size(0), file_).to(at::kCPU, at::kFloat);
    check_no_nan(result.log_scale, file_);
  }
  return result;
}

}  // namespace supn
