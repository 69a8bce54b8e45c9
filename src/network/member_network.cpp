#include "supn/network/member_network.hpp"

#include <ATen/core/grad_mode.h>
#include <torch/nn/module.h>

#include <charconv>
#include <optional>
#include <utility>

#include "compact_mean_network.hpp"
#include "module_weights.hpp"
#include "resnet_mean_network.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

constexpr const char* kMemberFormat = "supn-member";

void check_member(const MemberConfig& config) {
  if (!(config.dropout >= 0.0 && config.dropout < 1.0)) {
    throw ConfigError("dropout: expected a probability in [0, 1), got " +
                      std::to_string(config.dropout));
  }
  if (config.dropout > 0.0 && config.backbone != Backbone::kResnet18) {
    throw ConfigError("dropout: only resnet18 members have it; leave it at 0");
  }
}

std::unique_ptr<MeanNetwork> mean_network_of(const MemberConfig& config) {
  if (config.backbone == Backbone::kCompact)
    return std::make_unique<CompactMeanNetwork>(Skips::kNone);
  return std::make_unique<ResnetMeanNetwork>(
      FeatureDropout(config.dropout, static_cast<std::uint64_t>(config.dropout_seed)));
}

}  // namespace

// The mean network's modules under their own names, and log_scale.conv.* or, compact,
// log_scale.conv3.* (padded with zeros, as the compact network's heads are).
class MemberModule : public torch::nn::Module {
 public:
  explicit MemberModule(const MemberConfig& config) : mean_(mean_network_of(config)) {
    mean_->register_with(*this);
    if (config.log_scale == LogScaleHead::kAbsent) return;
    const std::int64_t channels = mean_->feature_channels().front();
    if (config.backbone == Backbone::kResnet18) {
      padded_head_ = register_module("log_scale", std::make_shared<ReflectConv>(channels, 1));
      return;
    }
    plain_head_ = torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, 1, 3).padding(1));
    auto named = std::make_shared<torch::nn::Module>("log_scale");
    named->register_module("conv3", plain_head_);
    register_module("log_scale", named);
  }

  MemberMaps predict(const at::Tensor& image) {
    MeanFeatures features = mean_->forward(image, Scales::kAll);
    MemberMaps maps{std::move(features.logits), {}};
    if (padded_head_ != nullptr) {
      maps.log_scale = padded_head_->forward(features.features.front());
    } else if (!plain_head_.is_empty()) {
      maps.log_scale = plain_head_->forward(features.features.front());
    }
    return maps;
  }

 private:
  std::unique_ptr<MeanNetwork> mean_;
  std::shared_ptr<ReflectConv> padded_head_;
  torch::nn::Conv2d plain_head_{nullptr};
};

namespace {

template <class Number>
Number number_in(const std::map<std::string, std::string>& metadata,
                 const std::string& key,
                 const std::filesystem::path& path) {
  const auto found = metadata.find(key);
  Number number{};
  if (found != metadata.end()) {
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
  }
  throw IoError(path, "has no number \"" + key + "\" in its metadata; make it with supn_import");
}

MemberConfig config_of_metadata(const std::map<std::string, std::string>& metadata,
                                const std::filesystem::path& path) {
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  MemberConfig config;
  bool known = text("log_scale") == "yes" || text("log_scale") == "no";
  if (text("backbone") == option_name(Backbone::kCompact)) {
    config.backbone = Backbone::kCompact;
  } else {
    known = known && text("backbone") == option_name(Backbone::kResnet18);
  }
  if (!known) {
    throw IoError(path,
                  "has a backbone or log_scale in its metadata that this version does not know");
  }
  if (text("log_scale") == "yes") config.log_scale = LogScaleHead::kPresent;
  config.dropout = number_in<double>(metadata, "dropout", path);
  config.dropout_seed = number_in<std::int64_t>(metadata, "dropout_seed", path);
  return config;
}

// Files of other writers may hold anything: what is no size is not known.
std::optional<ImageSize> size_of_metadata(const std::map<std::string, std::string>& metadata) {
  const auto pixels = [&](const char* key) {
    const auto found = metadata.find(key);
    std::int64_t number = 0;
    if (found == metadata.end()) return number;
    const std::string& text = found->second;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  };
  const ImageSize size{pixels("height"), pixels("width")};
  return size.height > 0 && size.width > 0 ? std::optional(size) : std::nullopt;
}

// A plain file of weights under the public names.
MemberConfig config_of_names(const std::map<std::string, at::Tensor>& tensors) {
  const auto has = [&](const char* name) { return tensors.count(name) > 0; };
  MemberConfig config;
  if (has("convs.0.0.weight")) config.backbone = Backbone::kCompact;
  if (has("log_scale.conv.weight") || has("log_scale.conv3.weight")) {
    config.log_scale = LogScaleHead::kPresent;
  }
  return config;
}

std::string first_fault(const WeightReport& report) {
  if (!report.missing.empty()) return "has no tensor " + report.missing.front();
  if (!report.mismatched.empty())
    return "has a tensor of another shape: " + report.mismatched.front();
  return report.unexpected.empty() ? "" : "has an unknown tensor " + report.unexpected.front();
}

}  // namespace

void write_member(const std::filesystem::path& path, const MemberFile& file) {
  const MemberConfig& config = file.config;
  write_safetensors(path,
                    {file.tensors,
                     {{"format", kMemberFormat},
                      {"backbone", std::string(option_name(config.backbone))},
                      {"log_scale", config.log_scale == LogScaleHead::kPresent ? "yes" : "no"},
                      {"dropout", c10::str(config.dropout)},
                      {"dropout_seed", std::to_string(config.dropout_seed)},
                      {"height", std::to_string(file.size.height)},
                      {"width", std::to_string(file.size.width)}}});
}

std::map<std::string, std::vector<std::int64_t>> member_shapes(const MemberConfig& config) {
  check_member(config);
  const MemberModule module(config);
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& item : module.named_parameters())
    shapes[item.key()] = item.value().sizes().vec();
  for (const auto& item : module.named_buffers()) shapes[item.key()] = item.value().sizes().vec();
  return shapes;
}

MemberNetwork::MemberNetwork(const std::filesystem::path& file, c10::Device device) {
  const SafetensorsFile content = read_safetensors(file);
  config_ = content.metadata.count("backbone") > 0 ? config_of_metadata(content.metadata, file)
                                                   : config_of_names(content.tensors);
  trained_size_ = size_of_metadata(content.metadata);
  try {
    check_member(config_);
  } catch (const ConfigError& error) {
    throw IoError(file, error.what());
  }
  module_ = std::make_shared<MemberModule>(config_);
  const std::string fault = first_fault(load_module_weights(*module_, content.tensors));
  if (!fault.empty()) {
    throw IoError(file,
                  "is not a member of kind " + std::string(option_name(config_.backbone)) +
                      ": it " + fault + "; make one with supn_import");
  }
  module_->eval();
  module_->to(device);
}

MemberMaps MemberNetwork::predict(const at::Tensor& image) const {
  const at::NoGradGuard no_grad;
  check_input_size(config_.backbone, {image.size(2), image.size(3)});
  return module_->predict(image);
}

}  // namespace supn
