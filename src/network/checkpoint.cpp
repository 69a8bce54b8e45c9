#include "supn/network/checkpoint.hpp"

#include <optional>

#include "supn/errors.hpp"
#include "supn/network/weights.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFormatVersion = 1;
constexpr std::uintmax_t kLargestText = 16U << 20U;
constexpr const char* kModel = "model.safetensors";
constexpr const char* kNetwork = "network.json";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kProgress = "progress.json";
constexpr const char* kConfig = "config.yaml";

struct Description {
  NetworkConfig config;
  ImageSize size;
};

std::string to_text(const Description& description) {
  const NetworkConfig& config = description.config;
  return Json(Json::Object{{"format_version", Json(kFormatVersion)},
                           {"backbone", Json(std::string(option_name(config.backbone)))},
                           {"neighbourhood_radius", Json(config.neighbourhood_radius)},
                           {"off_diagonal", Json(std::string(option_name(config.off_diagonal)))},
                           {"coordinate_maps", Json(config.coordinate_maps)},
                           {"diagonal_scaling", Json(config.diagonal_scaling)},
                           {"input_height", Json(description.size.height)},
                           {"input_width", Json(description.size.width)},
                           {"quantity", Json("logit of disparity")}})
             .dump() +
         "\n";
}

template <class Enum>
Enum enum_at(const Json& json, std::string_view key) {
  const std::string& text = json.at(key).as_string();
  for (const auto& [name, value] : OptionNames<Enum>::values) {
    if (name == text) return value;
  }
  throw JsonError("\"" + std::string(key) + "\" is \"" + text +
                  "\", which this version does not know");
}

Description parse_description(const std::string& text) {
  const Json json = Json::parse(text);
  if (json.at("format_version").as_int() != kFormatVersion) {
    throw JsonError("format_version is " + std::to_string(json.at("format_version").as_int()) +
                    ", this version reads " + std::to_string(kFormatVersion));
  }
  Description description{{.backbone = enum_at<Backbone>(json, "backbone"),
                           .neighbourhood_radius = json.at("neighbourhood_radius").as_int(),
                           .off_diagonal = enum_at<OffDiagonalForm>(json, "off_diagonal"),
                           .coordinate_maps = json.at("coordinate_maps").as_bool(),
                           .diagonal_scaling = json.at("diagonal_scaling").as_bool()},
                          {json.at("input_height").as_int(), json.at("input_width").as_int()}};
  if (description.config.neighbourhood_radius < 0 || description.config.neighbourhood_radius > 8) {
    throw JsonError("neighbourhood_radius must lie in 0..8");
  }
  check_network_config(description.config);
  check_input_size(description.config.backbone, description.size);
  return description;
}

Description read_description(const fs::path& file) {
  const std::string text = read_file(file, kLargestText);
  try {
    return parse_description(text);
  } catch (const JsonError& error) {
    throw IoError(
        file,
        std::string("does not describe a network (") + error.what() + "); use another checkpoint");
  } catch (const ConfigError& error) {
    throw IoError(
        file,
        std::string("does not describe a network (") + error.what() + "); use another checkpoint");
  }
}

std::string first_of(const std::vector<std::string>& names) {
  return names.front() +
         (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
}

void check_complete(const fs::path& file, const WeightReport& report) {
  std::string faults;
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty())
      faults += std::string(faults.empty() ? "" : "; ") + what + " " + first_of(names);
  };
  add("lacks", report.missing);
  add("has an unknown", report.unexpected);
  add("has another shape for", report.mismatched);
  if (faults.empty()) return;
  throw IoError(file,
                "is not of the architecture that " + std::string(kNetwork) +
                    " beside it names: it " + faults +
                    "; use a checkpoint whose parts belong together");
}

void check_directory(const fs::path& directory) {
  recover_directory(directory);
  std::error_code error;
  if (fs::is_directory(directory, error)) return;
  throw IoError(directory,
                "is not a checkpoint directory (a folder with " + std::string(kModel) + " and " +
                    kNetwork + ")");
}

std::string optional_text(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) ? read_file(file, kLargestText) : std::string();
}

}  // namespace

void save_checkpoint(const fs::path& directory, const CheckpointParts& parts) {
  AtomicDirectory staging(directory);
  const fs::path& path = staging.path();
  write_safetensors(path / kModel, {state_of(*parts.network), {{"format", "supn"}}});
  write_file_atomically(path / kNetwork, to_text({parts.network->config(), parts.size}));
  if (!parts.optimizer.empty()) write_safetensors(path / kOptimizer, {parts.optimizer, {}});
  if (!parts.progress.empty()) write_file_atomically(path / kProgress, parts.progress);
  if (!parts.config.empty()) write_file_atomically(path / kConfig, parts.config);
  staging.commit();
}

LoadedNetwork load_network(const fs::path& directory) {
  check_directory(directory);
  const Description description = read_description(directory / kNetwork);
  LoadedNetwork loaded{SupnNetwork(description.config), description.size};
  const fs::path model = directory / kModel;
  check_complete(model, load_weights(*loaded.network, read_safetensors(model).tensors));
  loaded.network->eval();
  return loaded;
}

CheckpointParts load_checkpoint(const fs::path& directory) {
  LoadedNetwork loaded = load_network(directory);
  CheckpointParts parts{loaded.network, loaded.input_size, {}, {}, {}};
  std::error_code error;
  if (fs::exists(directory / kOptimizer, error))
    parts.optimizer = read_safetensors(directory / kOptimizer).tensors;
  parts.progress = optional_text(directory / kProgress);
  parts.config = optional_text(directory / kConfig);
  return parts;
}

}  // namespace supn
